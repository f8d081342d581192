import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { formsPdf } from '#scripts/inputs/forms-pdf.ts';
import { noisePng } from '#scripts/inputs/noise-png.ts';
import { upload, withSender, type Attack } from '#scripts/siege/attacks.ts';

interface Costly {
  readonly count: number;
  readonly contentType: string;
  readonly make: (turn: number) => Buffer;
}

/** Uploads so many documents whose pages take all the time that they may take, waits, and deletes them: the next attack finds a quiet service. */
function costlyPages({ count, contentType, make }: Costly): Attack['run'] {
  return ({ api, key, workflowKey }, signal, statuses) =>
    withSender(statuses, async (sender) => {
      const ids: string[] = [];
      for (let turn = 0; turn < count && !signal.aborted;) {
        const id = await upload(sender, { api, key: workflowKey }, { bytes: make(turn), contentType });
        if (id === null) await pause(100);
        else ids.push(id);
        turn = ids.length;
      }
      if (!signal.aborted) await once(signal, 'abort');
      const headers = { 'x-api-key': key };
      for (const id of ids) await sender.send({ method: 'DELETE', url: `${api}/api/service/documents/${id}`, headers });
    });
}

/** 2.4 kB each. The comment at the end makes each another file. */
const forms = costlyPages({
  count: 24,
  contentType: 'application/pdf',
  make: (turn) => Buffer.concat([formsPdf(12), Buffer.from(`%${turn}\n`)]),
});

const noise = costlyPages({ count: 6, contentType: 'image/png', make: (turn) => noisePng(600, 2_400 + turn) });

/** Pages that take their whole limit of computing time, while the tenant has one page read. Source: docs/decisions/0277. */
export const pageAttacks: readonly Attack[] = [
  { name: '24 PDFs of 2 kB with forms that draw forms', scans: ['invoice.pdf'], run: forms },
  { name: 'six pictures of noise', scans: ['note.gif'], run: noise },
  {
    name: '24 PDFs of 2 kB with forms that draw forms, on a busy machine',
    scans: ['invoice.pdf'],
    busy: true,
    run: forms,
  },
];
