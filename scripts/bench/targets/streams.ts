/** The API in this process, with sessions for many streams of its realtime feed, and events appended to its log. */
import { setTimeout as pause } from 'node:timers/promises';
import { newId } from '#src/domain/ids.ts';
import { serve } from '#scripts/bench/processes/serve.ts';
import { preciseNow, sampleData, settledRss, type TellJob } from '#scripts/bench/processes/stream-events.ts';
import { startHarness } from '#scripts/bench/targets/run-harness.ts';

const { app, addresses, seeded } = await startHarness();
const { organizationId, projectId, operatorEmail: email, operatorPassword: password } = seeded;
serve({
  where: () => addresses.api,
  /** Cookies of new sessions. */
  async signIn(count: number) {
    const cookies: string[] = [];
    const call = { cookie: undefined, ip: '127.0.0.1', userAgent: 'bench' };
    while (cookies.length < count) {
      const signedIn = await app.sessions.perform('sign-in/email', { email, password }, call);
      cookies.push(signedIn.cookies.map((line) => line.slice(0, line.indexOf(';'))).join('; '));
    }
    return cookies;
  },
  async tell({ count, everyMs }: TellJob) {
    for (let told = 0; told < count; told += 1) {
      const [at, runId] = [new Date(), newId('run')];
      const place = { organizationId, projectId, runId, documentId: newId('document') };
      const event = { ...place, dedupeId: `run.step.changed:${runId}`, type: 'run.step.changed', at } as const;
      await app.deps.events.append([{ ...event, data: { ...sampleData(), sentAt: preciseNow() } }]);
      await pause(everyMs);
    }
  },
  rss: settledRss,
});
