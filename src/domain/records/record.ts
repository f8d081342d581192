import type { RecordStatus, Sayer } from '#src/contracts/records/record.ts';
import { derivedId } from '#src/domain/ids.ts';

/** Id of the record of a document by a type. */
export const recordId = (documentId: string, typeId: string): string => derivedId('record', documentId, typeId);

export interface CellMoney {
  readonly amount: number;
  readonly currency: string | null;
}
export type CellValue = string | number | boolean | CellMoney | null;

/** One value of a record, and its proof. `path` has the position of its row in a list: `items.0.amount`. */
export interface CellRecord {
  readonly path: string;
  readonly value: CellValue;
  /** Words of the document. */
  readonly raw: string | null;
  /** 0..1. */
  readonly confidence: number;
  readonly verified: boolean;
  readonly page: number | null;
  /** x, y, width and height as fractions 0..1 of the page. */
  readonly box: readonly [number, number, number, number] | null;
  readonly by: Sayer;
  readonly at: Date;
  readonly runId: string | null;
}

/** A cell that a person or an agent changed. */
export interface CorrectionRecord {
  readonly path: string;
  readonly before: CellValue;
  readonly after: CellValue;
  readonly by: Sayer;
  readonly actorId: string;
  readonly at: Date;
}

/** Reason why a record is doubtful: a required field without a value, an uncertain one, or a broken rule. */
export interface RecordProblem {
  readonly code: 'missing' | 'unsure' | 'rule';
  readonly field: string;
  readonly detail: string;
}

/** Values of a document by one record type. `_id` derives from both. */
export interface RecordRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly projectId: string;
  readonly documentId: string;
  readonly recordTypeId: string;
  readonly recordType: string;
  readonly typeVersion: number;
  readonly status: RecordStatus;
  readonly problems: readonly RecordProblem[];
  readonly cells: readonly CellRecord[];
  readonly corrections: readonly CorrectionRecord[];
  /** Counts the changes. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** True for a cell that no run may replace. */
export const isChecked = ({ by }: Pick<CellRecord, 'by'>): boolean => by === 'person' || by === 'agent';
