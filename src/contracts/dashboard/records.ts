import {
  CorrectRecordBody,
  DocumentRecord,
  RecordPage,
  RecordPath,
  RecordsQuery,
} from '#src/contracts/records/record.ts';
import {
  RecordType,
  RecordTypeList,
  RecordTypeListQuery,
  SaveRecordTypeBody,
} from '#src/contracts/records/record-type.ts';
import { route, type Caller } from '#src/contracts/route.ts';

/** Record types and records, once for service keys and once for the dashboard. Source: docs/decisions/0138. */
const rowsAt = (area: 'service' | 'dashboard', caller: Caller) => ({
  types: route({
    id: `${area}.record_types`,
    method: 'GET',
    path: `/api/${area}/record-types`,
    caller,
    summary: 'List the record types of a project',
    query: RecordTypeListQuery,
    reply: RecordTypeList,
    status: 200,
    errors: ['project.not_found'],
  }),
  saveType: route({
    id: `${area}.record_type.save`,
    method: 'POST',
    path: `/api/${area}/record-types`,
    caller,
    summary: 'Save a record type, or the next version of one',
    body: SaveRecordTypeBody,
    reply: RecordType,
    status: 201,
    also: { 200: 'The next version of a record type' },
    errors: ['project.not_found', 'record_type.conflict'],
  }),
  query: route({
    id: `${area}.records`,
    method: 'GET',
    path: `/api/${area}/records`,
    caller,
    summary: 'Find, sort, group and add up records; as JSON, JSON Lines or CSV',
    query: RecordsQuery,
    reply: RecordPage,
    csv: true,
    status: 200,
    errors: ['project.not_found', 'record_type.not_found', 'request.cursor_invalid'],
  }),
  correct: route({
    id: `${area}.record.correct`,
    method: 'PATCH',
    path: `/api/${area}/records/:recordId`,
    caller,
    summary: 'Set cells of a record, and confirm it',
    params: RecordPath,
    body: CorrectRecordBody,
    reply: DocumentRecord,
    status: 200,
    errors: ['record.not_found', 'record.conflict', 'record_type.not_found'],
  }),
});

export const serviceRecords = rowsAt('service', 'service-key');
export const dashboardRecords = rowsAt('dashboard', 'editor');
