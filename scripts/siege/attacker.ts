/** The attacker: a process of its own at the lowest priority, so that what it costs itself is not counted as the service's. */
import { setPriority } from 'node:os';
import { serve } from '#scripts/bench/processes/serve.ts';
import { attacks } from '#scripts/siege/attacks.ts';
import type { Target } from '#scripts/siege/target.ts';

setPriority(19);
const state: { end: AbortController; done: Promise<void> } = { end: new AbortController(), done: Promise.resolve() };

serve({
  begin({ name, target }: { name: string; target: Target }): void {
    const attack = attacks.find((one) => one.name === name);
    if (attack === undefined) throw new Error(`there is no attack ${name}`);
    state.end = new AbortController();
    state.done = attack.run(target, state.end.signal);
    // An attack that the service ends is over.
    state.done.catch(() => undefined);
  },
  async end(): Promise<void> {
    state.end.abort();
    await Promise.race([
      state.done.catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, 20_000).unref()),
    ]);
  },
});
// It waits for questions, also when it has nothing to do.
process.channel?.ref();
