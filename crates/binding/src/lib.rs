//! Python module `venice._native`: the engine with the policies of its catalogues.

venice_engine::python_module!(_native);
