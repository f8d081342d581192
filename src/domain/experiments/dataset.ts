import { nextAlpha } from '@inkgraph/paired-statistics/alpha-ledger';
import type { Reference, Split } from '#src/contracts/experiments/dataset.ts';
import { canonicalHash } from '#src/domain/canonical-json.ts';

/** Splits of documents in all versions of a dataset, by their ids and the digests of their bytes. */
export interface PastSplits {
  /** Those of a holdout, with the first generation that had them. */
  readonly held: ReadonlyMap<string, number>;
  /** Those of dev. */
  readonly shown: ReadonlySet<string>;
}

/** A document with its right result. */
export interface DatasetItem {
  readonly documentId: string;
  readonly sha256: string | null;
  /** Block hash of the first page; null for a page without a picture that tells it from others. */
  readonly blockHash: string | null;
  readonly split: Split;
  /** true: somebody chose the split. */
  readonly pinned: boolean;
  readonly tags: readonly string[];
  readonly reference: Reference | null;
}

/** `version` is the newest. Names and counts are those of the newest version. */
export interface DatasetRecord {
  readonly _id: string;
  readonly schemaVersion: 1;
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  readonly description: string;
  readonly version: number;
  /** Number of the holdout: raised when no document of the holdout before is in it any more. Names the ledger. */
  readonly generation: number;
  readonly counts: Readonly<Record<Split, number>>;
  readonly references: ReferenceCounts;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ReferenceCounts {
  readonly text: number;
  readonly fields: number;
  readonly label: number;
  readonly regions: number;
}

/** An immutable version. `_id` is `<datasetId>@<version>`. */
export interface DatasetVersionRecord {
  readonly _id: string;
  readonly organizationId: string;
  readonly datasetId: string;
  readonly version: number;
  readonly generation: number;
  readonly items: readonly DatasetItem[];
  readonly author: string;
  readonly at: Date;
}

/** Confirmations on one holdout. `_id` is `<datasetId>#<generation>`. */
export interface LedgerRecord {
  readonly _id: string;
  readonly organizationId: string;
  /** Experiments that were charged, in the order of their charges. */
  readonly experiments: readonly string[];
}

/** Budget of wrong verdicts for all confirmations on one holdout together. */
export const ledgerAlpha = 0.05;

/** Level of a confirmation at this place of the ledger, from 0: half of what is left, at most what was asked for. */
export const holdoutLevel = (asked: number, place: number): number => Math.min(asked, nextAlpha(ledgerAlpha, place));

export const ledgerIdOf = ({ _id, generation }: Pick<DatasetRecord, '_id' | 'generation'>): string =>
  `${_id}#${generation}`;

export function countSplits(items: readonly Pick<DatasetItem, 'split'>[]): Record<Split, number> {
  const dev = items.filter(({ split }) => split === 'dev').length;
  return { dev, holdout: items.length - dev };
}

export function countReferences(items: readonly Pick<DatasetItem, 'reference'>[]): ReferenceCounts {
  const having = (member: keyof ReferenceCounts): number =>
    items.filter(({ reference }) => reference?.[member] !== undefined).length;
  return { text: having('text'), fields: having('fields'), label: having('label'), regions: having('regions') };
}

/**
 * A holdout with one document that was ever held is not new: it goes on with the first ledger that the document was charged to.
 * `everHeld`: ids and digests of documents with their first generation. A copy under another id is known by its bytes.
 */
export function generationOf(
  before: Pick<DatasetVersionRecord, 'generation' | 'items'> | null,
  items: readonly Pick<DatasetItem, 'documentId' | 'sha256' | 'split'>[],
  everHeld: ReadonlyMap<string, number>,
): number {
  if (before === null) return 1;
  const held = items.filter(({ split }) => split === 'holdout');
  if (held.length === 0) return before.generation;
  const known = held.flatMap(({ documentId, sha256 }) => everHeld.get(documentId) ?? everHeld.get(sha256 ?? '') ?? []);
  return known.length > 0 ? Math.min(...known) : Math.max(before.generation, ...everHeld.values()) + 1;
}

/** True when the holdouts have the same documents with the same references. */
export function sameHoldout(
  one: Pick<DatasetVersionRecord, 'items'>,
  other: Pick<DatasetVersionRecord, 'items'>,
): boolean {
  const held = ({ items }: Pick<DatasetVersionRecord, 'items'>): string =>
    canonicalHash(
      items
        .filter(({ split }) => split === 'holdout')
        .map(({ documentId, reference }) => ({ documentId, reference }))
        .toSorted((a, b) => (a.documentId < b.documentId ? -1 : 1)),
    );
  return one === other || held(one) === held(other);
}
