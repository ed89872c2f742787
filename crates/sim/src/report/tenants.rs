//! Tenants: names of the host queues, and fairness among them.

use schemars::JsonSchema;
use serde::Serialize;
use venice_requests::Flow;

use super::{LatencyReport, LatencyTriple, QueueReport};

/// Fairness among tenants (host queues that share the drive).
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct FairnessReport {
    /// Fairness of throughput, in bytes per second, over the tenants with completed reads, writes or gathers.
    /// Tenants that only search, trim or flush transfer no data and are left out.
    pub throughput: EvennessReport,
    /// Fairness of slowdown; absent unless each tenant was also run alone. Slowdown is the mean latency of a
    /// tenant divided by its mean latency alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<EvennessReport>,
}

/// Evenness of a figure over all tenants.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct EvennessReport {
    /// Jain's index: (sum of x)² / (n × sum of x²). It is 1 if all values are equal, and 1/n if only one is
    /// not zero (Jain, Chiu, Hawe, DEC-TR-301, 1984).
    #[schemars(extend("unit" = ""))]
    pub jain: Option<f64>,
    /// Largest value divided by the smallest.
    #[schemars(extend("unit" = ""))]
    pub max_over_min: Option<f64>,
}

/// Figures of a tenant that was run alone on the drive, and its slowdown by the other tenants.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct AloneReport {
    /// Latencies of the tenant alone, as in the report's figure `latency_us`.
    pub latency_us: LatencyReport,
    /// Data read and written between the tenant's first issue and its last completion, in 10^6 bytes per
    /// second.
    pub bandwidth_mb_per_s: Option<f64>,
    /// Mean latency with the other tenants, divided by the mean latency alone.
    #[schemars(extend("unit" = ""))]
    pub slowdown_mean: Option<f64>,
    /// 99th percentile of the latency with the other tenants, divided by the percentile alone.
    #[schemars(extend("unit" = ""))]
    pub slowdown_p99: Option<f64>,
    /// Throughput with the other tenants, divided by the throughput alone.
    #[schemars(extend("unit" = ""))]
    pub throughput_ratio: Option<f64>,
}

impl EvennessReport {
    fn of(shares: &[f64]) -> Self {
        let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
        let (least, most) =
            shares.iter().fold((f64::MAX, 0.0_f64), |(least, most), &x| (least.min(x), most.max(x)));
        Self {
            jain: (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares)),
            max_over_min: (least > 0.0 && !shares.is_empty()).then(|| most / least),
        }
    }
}

/// Returns the fairness of the queues' throughput, or `None` for a single queue.
pub(super) fn fairness(queues: &[QueueReport]) -> Option<FairnessReport> {
    let with_data = queues.iter().filter(|queue| transfers_data(queue));
    let rates: Vec<f64> = with_data.filter_map(|queue| queue.bandwidth_mb_per_s).collect();
    let compared = if rates.len() > 1 { rates.as_slice() } else { &[] };
    (queues.len() > 1).then(|| FairnessReport { throughput: EvennessReport::of(compared), slowdown: None })
}

/// Returns true if a queue has completed requests that transfer data, and thus a throughput.
fn transfers_data(queue: &QueueReport) -> bool {
    let LatencyTriple { read, write, gather, .. } = &queue.latency_us;
    [Some(read), Some(write), gather.as_ref()].into_iter().flatten().any(|kind| kind.count > 0)
}

/// Returns a unique name for each queue. It is the name of the queue's flow, without the folder common to all
/// names, and with a number for duplicates.
pub(super) fn queue_names(flows: &[Flow], queues: &[usize]) -> Vec<String> {
    let names: Vec<String> = queues.iter().map(|&queue| name_of(flows, queue, queues.len())).collect();
    let prefix = common_prefix(&names);
    let short: Vec<&str> = names.iter().map(|name| &name[prefix..]).collect();
    numbered(&short)
}

/// Returns the name of a host queue: the joined labels of its flows or, if a single flow has several queues,
/// the name of a trace's device or the number of the queue.
fn name_of(flows: &[Flow], queue: usize, queues: usize) -> String {
    let of_queue: Vec<&str> = flows
        .iter()
        .filter(|flow| flow.queue().is_some_and(|own| usize::from(own) == queue))
        .map(|flow| flow.source().label())
        .collect();
    match (of_queue.as_slice(), flows) {
        ([], [only]) if queues == 1 => only.source().label().to_owned(),
        ([], [only]) => name_of_device(&only.source().device_name(queue as u16), queue),
        ([], _) => format!("queue {queue}"),
        (labels, _) => labels.join(" + "),
    }
}

/// Returns the name of a trace's device, or its number if it has no name.
fn name_of_device(name: &str, queue: usize) -> String {
    if name == queue.to_string() { format!("queue {queue}") } else { name.to_owned() }
}

/// Returns the length of the folder path common to all names, including the final `/`.
fn common_prefix(names: &[String]) -> usize {
    let folder = |name: &String| name.rfind('/').map_or("", |end| &name[..=end]).to_owned();
    let first = names.first().map(folder).unwrap_or_default();
    let is_shared = names.len() > 1 && names.iter().all(|name| folder(name) == first);
    if is_shared { first.len() } else { 0 }
}

/// Makes names unique by appending ` 2`, ` 3` and so on to duplicates.
fn numbered(names: &[&str]) -> Vec<String> {
    let count_before = |place: usize| names[..place].iter().filter(|name| **name == names[place]).count();
    let more = (0..names.len()).map(count_before);
    let named = names.iter().zip(more);
    named
        .map(|(name, before)| if before == 0 { (*name).to_owned() } else { format!("{name} {}", before + 1) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_s_index_is_one_of_equal_shares_and_one_over_n_of_a_single_one() {
        let of = |shares: &[f64]| EvennessReport::of(shares);
        assert_eq!((of(&[3.0, 3.0]).jain, of(&[3.0, 3.0]).max_over_min), (Some(1.0), Some(1.0)));
        assert_eq!((of(&[5.0, 0.0, 0.0, 0.0]).jain, of(&[5.0, 0.0]).max_over_min), (Some(0.25), None));
        assert_eq!((of(&[1.0, 3.0]).jain, of(&[1.0, 3.0]).max_over_min), (Some(0.8), Some(3.0)));
        assert_eq!((of(&[]).jain, of(&[]).max_over_min), (None, None));
    }

    #[test]
    fn equal_names_get_numbers_and_a_common_folder_is_left_out() {
        let names = |given: &[&str]| given.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(numbered(&["a", "b", "a"]), ["a", "b", "a 2"]);
        assert_eq!(common_prefix(&names(&["mix1/hm_0", "mix1/src1_0"])), 5);
        assert_eq!(common_prefix(&names(&["mix1/hm_0", "src1_0"])), 0);
    }
}
