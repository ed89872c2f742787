#!/bin/sh
# Measures a drive with fio for `venice validate` and `venice fit`. ERASES ALL DATA ON THE DEVICE.
# Usage: sudo sh measure.sh /dev/nvme1n1 vendor-model-1tb     (fio 3; about two hours for 1 TB)
set -eu
dev=$1 name=$2 out=venice-$2 timing= state=written
mkdir -p "$out"
job() { echo "--name=$1 --rw=$2 --bs=$3 --iodepth=$4 --description=drive=$name,venice_condition=$state"; }
measure() { file=$1; shift; fio --filename="$dev" --direct=1 --ioengine=libaio --norandommap --randrepeat=0 \
  --percentile_list=50:99:99.9 --output-format=json --output="$out/$state-$file.json" $timing "$@"; }
{ lsblk -dno MODEL,REV,SIZE "$dev"; uname -r; fio --version; } > "$out/drive.txt"
blkdiscard -f "$dev"
measure fill $(job fill write 1m 8) --write_bw_log="$out/fill" --log_avg_msec=1000
minute="--time_based --ramp_time=10 --runtime=${TIME:-60}" state=filled timing=$minute
for bs in 4k 128k; do for qd in 1 8 32; do measure "read-$bs-$qd" $(job read read $bs $qd); done; done
timing=; measure overwrite $(job overwrite randwrite 4k 128) --loops=3
timing=$minute state=steady
for qd in 1 2 4 8 16 32 64 128 256; do measure "randread-4k-$qd" $(job read randread 4k $qd); done
for bs in 8k 16k 32k 64k 128k; do for qd in 1 32; do measure "randread-$bs-$qd" $(job read randread $bs $qd); done; done
for qd in 1 4 32 128; do measure "randwrite-4k-$qd" $(job write randwrite 4k $qd); done
for qd in 1 8 32 128; do measure "randrw-70-$qd" $(job mixed randrw 4k $qd) --rwmixread=70; done
for rate in 5000 10000 20000 30000 50000 70000 100000; do measure "beside-$rate" --rate_process=poisson \
  $(job write randwrite 4k 256) --rate_iops=$rate $(job read randread 4k 64) --rate_iops=5000; done
echo "done: venice drive import $out --name $name -o $name.csv"
