//! Whether the links and routers that are to fail are there.

use super::super::table::Config;
use super::Conflict;

const LINKS: &[&str] = &["fabric.mesh.failed_links", "array.rows", "array.cols"];
const ROUTERS: &[&str] = &["fabric.mesh.failed_routers", "array.rows", "array.cols"];

/// Each link joins two neighbours of the array.
pub(super) fn no_such_link(config: &Config) -> Option<Conflict> {
    let wrong = |link: &&Vec<u32>| match link[..] {
        [row, column, other_row, other_column] => {
            let apart = row.abs_diff(other_row) + column.abs_diff(other_column);
            apart != 1 || !is_there(config, row, column) || !is_there(config, other_row, other_column)
        }
        _ => true,
    };
    let link = config.fabric_mesh.failed_links.iter().find(wrong)?;
    let message = format!("`{}` names {link:?}, which is no link of {}", LINKS[0], shape(config));
    let note = "expected: row and column of a router, then row and column of a neighbour of it".to_owned();
    Some(Conflict { keys: LINKS, message, note: Some(note) })
}

/// Each router is one of the array.
pub(super) fn no_such_router(config: &Config) -> Option<Conflict> {
    let wrong = |router: &&Vec<u32>| match router[..] {
        [row, column] => !is_there(config, row, column),
        _ => true,
    };
    let router = config.fabric_mesh.failed_routers.iter().find(wrong)?;
    let message = format!("`{}` names {router:?}, which is no router of {}", ROUTERS[0], shape(config));
    Some(Conflict { keys: ROUTERS, message, note: Some("expected: row and column".to_owned()) })
}

fn is_there(config: &Config, row: u32, column: u32) -> bool {
    row < config.array.rows && column < config.array.cols
}

fn shape(config: &Config) -> String {
    format!("{} rows × {} columns", config.array.rows, config.array.cols)
}
