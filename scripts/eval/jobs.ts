import type { Job } from '#scripts/eval/job.ts';
import { documentJobs } from '#scripts/eval/jobs/documents.ts';
import { recordJobs } from '#scripts/eval/jobs/records.ts';
import { runJobs } from '#scripts/eval/jobs/runs.ts';
import { workflowJobs } from '#scripts/eval/jobs/workflows.ts';

/** All jobs of `npm run eval`. */
export const jobs: readonly Job[] = [...workflowJobs, ...runJobs, ...documentJobs, ...recordJobs];

/** Finds a job by its name. */
export function jobOf(name: string): Job {
  const found = jobs.find((job) => job.name === name);
  if (found === undefined) throw new Error(`there is no job ${name}`);
  return found;
}
