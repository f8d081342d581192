import { setTimeout as pause } from 'node:timers/promises';
import type { Seed } from '#app/compose/seed.ts';
import { Watcher, type Answered } from '#scripts/topology/watcher.ts';

const views = 4;
/** The end of a run is seen within seconds of it; one that a killed process did not announce, within 25 s. */
const patienceMs = 45_000;

/** Returns the cookie of a new session. */
async function signIn(base: string, { operatorEmail: email, operatorPassword: password }: Seed): Promise<string> {
  const answer = await fetch(new URL('/api/auth/sign-in/email', base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`sign-in answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.slice(0, line.indexOf(';')))
    .join('; ');
}

/** Live views of an operator, two at each API process at the beginning. */
export class LiveViews {
  readonly #watchers: readonly Watcher[];
  readonly #watching: Promise<unknown>;

  private constructor(bases: readonly string[], cookie: string, answered: Answered) {
    this.#watchers = Array.from({ length: views }, () => new Watcher(bases, cookie, answered));
    this.#watching = Promise.all(this.#watchers.map((watcher, at) => watcher.watch(at)));
    // Told at the end; it must not go unhandled until then.
    this.#watching.catch(() => undefined);
  }

  static async open(bases: readonly string[], of: Seed, answered: Answered): Promise<LiveViews> {
    return new LiveViews(bases, await signIn(bases[0] ?? '', of), answered);
  }

  get reconnects(): number {
    return this.#watchers.reduce((sum, one) => sum + one.reconnects, 0);
  }

  /** Waits until every view has seen the end of every run, and closes them. Returns violations, one sentence each. */
  async close(documents: readonly string[]): Promise<string[]> {
    const end = performance.now() + patienceMs;
    const lacks = ({ completed }: Watcher): boolean => documents.some((id) => !completed.has(id));
    while (this.#watchers.some(lacks) && performance.now() < end) await pause(100);
    for (const watcher of this.#watchers) watcher.end();
    await this.#watching;
    return this.#watchers.flatMap(({ completed }, at) => {
      const missed = documents.filter((id) => completed.get(id) === undefined).length;
      const doubled = documents.filter((id) => (completed.get(id) ?? 0) > 1).length;
      return [
        ...(missed > 0 ? [`live view ${at + 1} missed the end of ${missed} runs`] : []),
        ...(doubled > 0 ? [`live view ${at + 1} saw the end of ${doubled} runs twice`] : []),
      ];
    });
  }
}
