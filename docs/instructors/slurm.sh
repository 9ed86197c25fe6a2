#!/usr/bin/env bash
#SBATCH --job-name=asynclab
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --mem=8G
#SBATCH --time=02:00:00
# Run ./lab doctor once. Then, with both folders on a file system that all nodes share:
#     sbatch slurm.sh submissions/ graded/
# and when all tasks have ended:
#     ./lab grade merge graded/
set -eu
"${ASYNCLAB:-.}/lab" grade "$1" --out "$2" --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX" "${@:3}" ||
    [[ $? -eq 3 ]] # names that the grader asks about; merge asks again
