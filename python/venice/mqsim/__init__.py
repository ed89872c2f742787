"""MQSim's files: configuration and workload as inputs, result file as output."""

from venice.mqsim.run import Mqsim as Mqsim
from venice.mqsim.run import MqsimWarning as MqsimWarning
from venice.mqsim.run import Remark as Remark
from venice.mqsim.run import import_config as import_config
from venice.mqsim.run import mqsim as mqsim
