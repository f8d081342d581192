/** The attacker: a process of its own at the lowest priority, so that what it costs itself is not counted as the service's. */
import { setPriority } from 'node:os';
import { serve } from '#scripts/bench/processes/serve.ts';
import { attacks } from '#scripts/siege/attacks.ts';
import { pageAttacks } from '#scripts/siege/page-attacks.ts';
import type { Statuses } from '#scripts/siege/send.ts';
import type { Target } from '#scripts/siege/target.ts';

setPriority(19);
const state: { end: AbortController; done: Promise<void>; statuses: Statuses } = {
  end: new AbortController(),
  done: Promise.resolve(),
  statuses: new Map(),
};

serve({
  begin({ name, target }: { name: string; target: Target }): void {
    const attack = [...attacks, ...pageAttacks].find((one) => one.name === name);
    if (attack === undefined) throw new Error(`there is no attack ${name}`);
    state.end = new AbortController();
    state.statuses = new Map();
    state.done = attack.run(target, state.end.signal, state.statuses);
    // An attack that the service ends is over.
    state.done.catch(() => undefined);
  },
  /** Ends the attack, and answers the statuses of its responses. */
  async end(): Promise<Statuses> {
    state.end.abort();
    await Promise.race([
      state.done.catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, 20_000).unref()),
    ]);
    return state.statuses;
  },
});
// It waits for questions, also when it has nothing to do.
process.channel?.ref();
