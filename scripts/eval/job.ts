import type { Connection, EvalWorld } from '#scripts/eval/world.ts';

/** Values that a job prepared, by the names that its task mentions. */
export type Facts = Readonly<Record<string, string>>;

/** One piece of work for an agent. */
export interface Job {
  readonly name: string;
  /** Text that the agent gets; `{name}` stands for a fact. */
  readonly task: string;
  prepare(world: EvalWorld): Promise<Facts>;
  /** Says what is missing from the outcome; null: the job is done. */
  check(world: EvalWorld, facts: Facts, answer: string): Promise<string | null>;
}

/** Work of an agent on a job. `tokens`: of the texts of calls and answers, 4 bytes each; `modelTokens`: as the model server counts. */
export interface Attempt {
  readonly answer: string;
  readonly calls: readonly string[];
  readonly tokens: number;
  readonly modelTokens?: number;
  /** Reason for which the agent gave up. */
  readonly failure?: string;
}

export type Agent = (task: string, connection: Connection) => Promise<Attempt>;

/** Outcome of a job. */
export interface Outcome extends Attempt {
  readonly job: string;
  /** Reason for which it counts as failed; null: success. */
  readonly problem: string | null;
}

/** Value of a fact. Throws where the job did not prepare it. */
export function fact(facts: Facts, name: string): string {
  const value = facts[name];
  if (value === undefined) throw new Error(`the job has no fact ${name}`);
  return value;
}

/** Prepares a job, gives its task to the agent, and checks the outcome. */
export async function runJob(world: EvalWorld, job: Job, agent: Agent): Promise<Outcome> {
  const facts = await job.prepare(world);
  const task = job.task.replaceAll(/\{(\w+)\}/g, (_, name: string) => fact(facts, name));
  const attempt = await agent(task, world.connection);
  return { job: job.name, ...attempt, problem: attempt.failure ?? (await job.check(world, facts, attempt.answer)) };
}
