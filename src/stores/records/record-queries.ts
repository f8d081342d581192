import type { Collection, Document, Filter } from 'mongodb';
import type { RecordStatus } from '#src/contracts/records/record.ts';
import type { Aggregate, Grouping, GroupPart, RecordSort, RecordTerm } from '#src/domain/records/read-question.ts';
import type { ListPosition } from '#src/domain/cursor.ts';
import type { RecordRecord } from '#src/domain/records/record.ts';
import { toRecord, type RecordRow } from '#src/stores/records/row.ts';

/** Records of one type. `path` is a path in `values`: `total.amount`. */
export interface RecordQuestion {
  readonly organizationId: string;
  readonly projectId: string;
  readonly recordTypeId: string;
  readonly documentId?: string | undefined;
  readonly status?: RecordStatus | undefined;
  readonly terms: readonly RecordTerm[];
}

/** Value and id of the last record of a page; of `createdAt` in milliseconds since 1970. */
export interface RecordPlace {
  readonly value: string | number | boolean | null;
  readonly id: string;
}

export interface FoundGroup {
  readonly key: readonly unknown[];
  readonly count: number;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Escapes what has a meaning in a pattern. A hyphen has none outside of brackets, and must not be escaped there. */
const plain = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

function conditionOf(term: RecordTerm): Filter<RecordRow> {
  if ('facets' in term) return { facets: { $in: [...term.facets] } };
  if ('not' in term) return { facets: { $ne: term.not } };
  if ('from' in term) return { facets: { $elemMatch: { $gte: term.from, $lt: term.below } } };
  const path = `values.${term.path}`;
  if ('contains' in term) return { [path]: new RegExp(plain(term.contains), 'iu') };
  return { [path]: term.exists ? { $ne: null } : null };
}

function filterOf({
  organizationId,
  projectId,
  recordTypeId,
  documentId,
  status,
  terms,
}: RecordQuestion): Filter<RecordRow> {
  return {
    organizationId,
    projectId,
    recordTypeId,
    ...(documentId !== undefined && { documentId }),
    ...(status !== undefined && { status }),
    ...(terms.length > 0 && { $and: terms.map(conditionOf) }),
  };
}

/** Records behind a place. Null stands before all values. */
function behind(path: string, descending: boolean, place: RecordPlace): Filter<RecordRow> {
  const beyond = descending ? '$lt' : '$gt';
  const value = path === 'createdAt' ? new Date(Number(place.value)) : place.value;
  const ties = { [path]: value, _id: { [beyond]: place.id } };
  if (value === null) return { $or: descending ? [ties] : [ties, { [path]: { $ne: null } }] };
  return {
    $or: [{ [path]: { [beyond]: value } }, ties, ...(descending ? [{ [path]: null }] : [])],
  };
}

const accumulators: Readonly<Record<Aggregate['operator'], (path: string) => Document>> = {
  sum: (path) => ({ $sum: path }),
  avg: (path) => ({ $avg: path }),
  min: (path) => ({ $min: path }),
  max: (path) => ({ $max: path }),
};

export interface Projects {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
}

const doubtful = ({ organizationId, projectIds }: Projects) => ({
  organizationId,
  projectId: { $in: [...projectIds] },
  status: 'doubtful' as const,
});

/** Records of all types that wait for people. */
const createDoubtful = ({ records }: { readonly records: Collection<RecordRow> }) => ({
  /** Lists doubtful records, oldest first. */
  async doubtful(of: Projects, after: ListPosition | null, limit: number): Promise<readonly RecordRecord[]> {
    const place =
      after === null
        ? {}
        : {
            createdAt: { $gte: after.createdAt },
            $or: [{ createdAt: { $gt: after.createdAt } }, { _id: { $gt: after.id } }],
          };
    const rows = records.find({ ...doubtful(of), ...place }).sort({ createdAt: 1, _id: 1 });
    return (await rows.limit(limit).toArray()).map(toRecord);
  },
  countDoubtful: (of: Projects, limit: number): Promise<number> => records.countDocuments(doubtful(of), { limit }),
});

export function createRecordQueries({ records }: { readonly records: Collection<RecordRow> }) {
  return {
    ...createDoubtful({ records }),
    /** Records in order; `after` is the last one of the page before. */
    async query(
      question: RecordQuestion,
      { path, descending }: RecordSort,
      { after, limit }: { readonly after: RecordPlace | null; readonly limit: number },
    ): Promise<readonly RecordRow[]> {
      const sorted = path === null ? 'createdAt' : `values.${path}`;
      const filter = filterOf(question);
      const rest = after === null ? {} : behind(sorted, descending, after);
      const way = descending ? -1 : 1;
      return records
        .find(after === null ? filter : { $and: [filter, rest] })
        .sort({ [sorted]: way, _id: way })
        .limit(limit)
        .toArray();
    },
    /** Documents of records, at most `limit`, in no order. */
    async documentIds(question: RecordQuestion, limit: number): Promise<readonly string[]> {
      const found = records.find(filterOf(question), { projection: { documentId: 1 } });
      return (await found.limit(limit).toArray()).map(({ documentId }) => documentId);
    },
    /** All records of a document. */
    async ofDocument(
      { organizationId, projectIds }: { readonly organizationId: string; readonly projectIds: readonly string[] },
      documentId: string,
    ): Promise<readonly RecordRecord[]> {
      const rows = records.find({ organizationId, documentId, projectId: { $in: [...projectIds] } });
      return (await rows.sort({ _id: 1 }).limit(100).toArray()).map(toRecord);
    },
    /** Groups with counts and aggregates, the largest first. `list`: its rows are counted instead of records. */
    async groups(
      question: RecordQuestion,
      { list, by, aggregates }: Grouping,
      limit: number,
    ): Promise<readonly FoundGroup[]> {
      const keyOf = ({ path, characters }: GroupPart): unknown =>
        characters === null ? `$values.${path}` : { $substrCP: [`$values.${path}`, 0, characters] };
      const stages: Document[] = [
        { $match: filterOf(question) },
        ...(list === null ? [] : [{ $unwind: `$values.${list}` }]),
        {
          $group: {
            _id: Object.fromEntries(by.map((part, at) => [`k${at}`, keyOf(part)])),
            count: { $sum: 1 },
            ...Object.fromEntries(
              aggregates.map(({ operator, path }, at) => [`a${at}`, accumulators[operator](`$values.${path}`)]),
            ),
          },
        },
        { $sort: { count: -1, _id: 1 } },
        { $limit: limit },
      ];
      const found = await records.aggregate(stages).toArray();
      return found.map((row) => ({
        key: by.map((_, at) => (row['_id'] as Record<string, unknown>)[`k${at}`] ?? null),
        count: Number(row['count']),
        values: Object.fromEntries(aggregates.map(({ name }, at) => [name, row[`a${at}`] ?? null])),
      }));
    },
  };
}
