/** Loaded with `--import` before a process under test: it tells what it used, and ends when the benchmark does. */
import { isMainThread } from 'node:worker_threads';
import { serve } from '#scripts/bench/processes/serve.ts';

if (isMainThread) {
  serve({
    usage() {
      const { user, system } = process.cpuUsage();
      return {
        cpuMs: (user + system) / 1_000,
        rssBytes: process.memoryUsage.rss(),
        peakBytes: process.resourceUsage().maxRSS * 1_024,
      };
    },
  });
  process.once('disconnect', () => process.exit());
  // A service under test ends by itself when it is told to, with the channel open.
  process.channel?.unref();
}
