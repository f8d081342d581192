import type { RecordRecord } from '#src/domain/records/record.ts';
import type { RecordValues } from '#src/domain/records/values.ts';

/** A record with what queries read: `values` is for sorts and groups, `facets` for conditions. */
export interface RecordRow extends RecordRecord {
  readonly values: RecordValues;
  readonly facets: readonly string[];
}

export const toRecord = ({ values: _values, facets: _facets, ...record }: RecordRow): RecordRecord => record;
