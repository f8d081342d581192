/** The least a broadcast costs: a loop over open answers of `node:http`, nobody asked who they are, nothing stored. */
import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { listenHere } from '#scripts/bench/peers/listen-here.ts';
import { serve } from '#scripts/bench/processes/serve.ts';
import { preciseNow, sampleData, settledRss, type TellJob } from '#scripts/bench/processes/stream-events.ts';

const open = new Set<ServerResponse>();
await listenHere((request, response) => {
  if (request.url !== '/api/dashboard/realtime') return void response.end('{}');
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  response.write('retry: 2000\n\n');
  open.add(response);
  response.once('close', () => open.delete(response));
});
let seq = 0;
serve({
  async tell({ count, everyMs }: TellJob) {
    for (let told = 0; told < count; told += 1) {
      const place = {
        organizationId: 'org_bench',
        projectId: 'proj_bench',
        runId: 'run_bench',
        documentId: 'doc_bench',
      };
      const sentAt = preciseNow();
      const data = { ...sampleData(), sentAt, type: 'run.step.changed', at: new Date().toISOString(), ...place };
      const frame = `id: 0123abcd-${(seq += 1)}\nevent: run.step.changed\ndata: ${JSON.stringify(data)}\n\n`;
      for (const response of open) response.write(frame);
      await pause(everyMs);
    }
  },
  rss: settledRss,
});
