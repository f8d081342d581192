import type { serviceRecords } from '#src/contracts/dashboard/records.ts';
import { tools } from '#tools/index.ts';
import type { Bind } from '#http/bind.ts';
import { recordsInput, sendRecords } from '#http/exports/records.ts';
import { createdOrFound } from '#http/routes/service.ts';

/** Record types and records, in the order of the rows. */
export function mountRecords(bind: Bind, rows: typeof serviceRecords): void {
  bind(rows.types, tools.listRecordTypes);
  bind(rows.saveType, tools.saveRecordType, { present: createdOrFound });
  bind(rows.query, tools.queryRecords, { convert: recordsInput, send: sendRecords });
  bind(rows.correct, tools.correctRecord);
}
