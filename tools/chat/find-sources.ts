import { chatLimits, type ChatScope, type SourceCard } from '#src/contracts/resources/chat.ts';
import {
  excerptOf,
  chooseSources,
  type Candidate,
  type ChosenSources,
  type Reader,
} from '#src/domain/chat/choose-sources.ts';
import { descriptionPassages, mostCharacters, ocrPassages, segmentationPassages } from '#src/domain/chat/passages.ts';
import type { ReadQuestion } from '#src/domain/chat/read-question.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { ToolContext } from '#tools/define.ts';
import { presentDocument } from '#tools/documents/present.ts';
import type { StoredTexts } from '#src/domain/chat/stored-texts.ts';
import type { SearchHit } from '#src/stores/search/query.ts';
import { AppError } from '#src/domain/app-error.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

/** Documents that a question covers, within those that the caller may read. */
export interface AskedScope {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  /** Excludes public documents of the organization's other projects. */
  readonly onlyProjects: boolean;
  readonly documentIds?: readonly string[];
  readonly apiKeyIds?: readonly string[];
}

function missing(code: 'project.not_found' | 'key.not_found', pointer: string, what: string): AppError {
  return new AppError(code, `This credential can read no ${what} with this id. Take ids from the list of ${what}s.`, {
    errors: [{ pointer, code: 'not_found', message: `take ids from the list of ${what}s` }],
  });
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/**
 * Checks that the caller may use every id that narrows the question. A foreign id gets the same error as an unknown one. Neither is
 * dropped, because an answer over fewer documents would look like an answer over all of them. Errors: `project.not_found`,
 * `key.not_found`, `document.not_found`.
 */
export async function askedScope(
  { deps, principal }: Pick<ToolContext<'apiKeys' | 'documents'>, 'deps' | 'principal'>,
  { projectIds, apiKeyIds, documentIds }: ChatScope,
): Promise<AskedScope> {
  const { organizationId } = principal;
  const foreign = projectIds?.findIndex((id) => !principal.projectIds.includes(id)) ?? -1;
  if (foreign !== -1) throw missing('project.not_found', `/projectIds/${foreign}`, 'project');
  const [keys, readable] = await Promise.all([
    apiKeyIds === undefined ? [] : deps.apiKeys.list(organizationId),
    documentIds === undefined ? 0 : deps.documents.countReadable(principal, unique(documentIds)),
  ]);
  const known = new Set(keys.filter((key) => principal.projectIds.includes(key.projectId)).map((key) => key._id));
  const noKey = apiKeyIds?.findIndex((id) => !known.has(id)) ?? -1;
  if (noKey !== -1) throw missing('key.not_found', `/apiKeyIds/${noKey}`, 'key');
  if (documentIds !== undefined && readable !== unique(documentIds).length) throw documentMissing();
  return {
    organizationId,
    projectIds: projectIds === undefined ? principal.projectIds : unique(projectIds),
    onlyProjects: projectIds !== undefined,
    ...(documentIds !== undefined && { documentIds: unique(documentIds) }),
    ...(apiKeyIds !== undefined && { apiKeyIds: unique(apiKeyIds) }),
  };
}

/** Documents that are read for one question: more than are shown, because passages rank better than whole documents. */
const mostCandidates = 12;
const mostSegmentations = 10;

export interface AnswerSources {
  readonly chosen: ChosenSources;
  readonly sources: readonly SourceCard[];
  /** Complete stored texts of the sources' documents. */
  readonly texts: readonly string[];
}

interface Found {
  readonly record: DocumentRecord;
  readonly hit: SearchHit | undefined;
  readonly named: boolean;
}

/** Searches, reads the stored texts of the documents found, and chooses the sources of the answer. Error: `service.unavailable`. */
export async function findAnswerSources(
  ctx: Pick<ToolContext<'documents' | 'groundingTexts' | 'search' | 'thumbnails'>, 'deps' | 'principal' | 'outcome'>,
  question: ReadQuestion,
  { scope, reader }: { readonly scope: AskedScope; readonly reader: Reader },
): Promise<AnswerSources> {
  const { deps } = ctx;
  const found = await findDocuments(ctx, question, scope);
  const stored = await deps.groundingTexts.read(
    scope.organizationId,
    found.map(({ record }) => ({
      documentId: record._id,
      ocrResultId: record.ocr?.ocrResultId ?? null,
      descriptionId: record.description?.descriptionId ?? null,
    })),
  );
  const candidates = candidatesOf(found, stored);
  const chosen = chooseSources(question, candidates, reader);
  const byId = new Map(found.map((one) => [one.record._id, one]));
  const sources = chosen.documents.flatMap(({ documentId, passages }, at): SourceCard[] => {
    const one = byId.get(documentId);
    if (one === undefined) return [];
    const { id, projectId, objectKey, contentType, createdAt, title, description, thumbnailUrl } = presentDocument(
      deps,
      one.record,
    );
    return [
      {
        sourceId: id,
        index: at + 1,
        documentId: id,
        projectId,
        objectKey,
        contentType,
        createdAt,
        title,
        description,
        thumbnailUrl,
        distance: one.hit?.distance ?? null,
        score: one.hit?.score ?? 0,
        excerpts: passages.map(excerptOf),
      },
    ];
  });
  const shown = new Set(sources.map(({ documentId }) => documentId));
  const texts = candidates
    .filter(({ documentId }) => shown.has(documentId))
    .flatMap(({ title, passages }) => [title, ...new Set(passages.map(({ whole }) => whole))]);
  return { chosen, sources, texts };
}

async function findDocuments(
  { deps, principal, outcome }: Pick<ToolContext<'documents' | 'search'>, 'deps' | 'principal' | 'outcome'>,
  question: ReadQuestion,
  scope: AskedScope,
): Promise<Found[]> {
  const { organizationId, projectIds, onlyProjects, documentIds, apiKeyIds } = scope;
  const isIn = ({ _id, projectId, apiKeyId }: DocumentRecord): boolean =>
    (!onlyProjects || projectIds.includes(projectId)) &&
    (documentIds?.includes(_id) ?? true) &&
    (apiKeyIds === undefined || (apiKeyId !== null && apiKeyIds.includes(apiKeyId)));
  const { hits, degraded } = await deps.search.search({
    organizationId,
    projectIds,
    text: question.searchText,
    ...(documentIds !== undefined && { documentIds }),
    ...(apiKeyIds !== undefined && { apiKeyIds }),
    ownOnly: onlyProjects,
    limit: mostCandidates,
  });
  if (degraded.length > 0) outcome.degraded = degraded;
  const named = await namedIds({ deps }, question, scope);
  const ids = [...new Set([...named, ...hits.map(({ documentId }) => documentId)])];
  const records = new Map((await deps.documents.findMany(principal, ids)).map((record) => [record._id, record]));
  const hitOf = new Map(hits.map((hit) => [hit.documentId, hit]));
  return ids
    .flatMap((id): Found[] => {
      const record = records.get(id);
      return record !== undefined && isIn(record) ? [{ record, hit: hitOf.get(id), named: named.includes(id) }] : [];
    })
    .slice(0, mostCandidates);
}

/** Documents that are always read: the few that the caller named, or the newest when the question asks for a summary of all. */
async function namedIds(
  { deps }: Pick<ToolContext<'documents'>, 'deps'>,
  { asksForGist, terms }: ReadQuestion,
  { organizationId, projectIds, documentIds, apiKeyIds }: AskedScope,
): Promise<readonly string[]> {
  if (documentIds !== undefined && documentIds.length <= chatLimits.sources) return documentIds;
  if (!asksForGist || terms.length > 0 || apiKeyIds !== undefined) return [];
  return (
    documentIds?.slice(0, chatLimits.sources) ??
    deps.documents.listIds({ organizationId, projectIds }, {}, chatLimits.sources)
  );
}

/** Limits of recognized text for one question, in characters: the total, and the share that every document gets. */
const readAtMost = { together: 1_000_000, each: 20_000 } as const;

function candidatesOf(found: readonly Found[], { ocr, descriptions, segmentations }: StoredTexts): Candidate[] {
  let room: number = readAtMost.together;
  return found.map(({ record: { _id: documentId }, hit, named }) => {
    const isOf = (one: { readonly documentId: string }): boolean => one.documentId === documentId;
    const described = descriptions.find(isOf);
    const recognized = ocr.find(isOf);
    const most = Math.max(readAtMost.each, Math.min(mostCharacters, room));
    room -= recognized?.text.length ?? 0;
    return {
      documentId,
      title: described?.title ?? '',
      distance: hit?.distance ?? null,
      named,
      passages: [
        ...(described === undefined ? [] : descriptionPassages(described)),
        ...(recognized === undefined ? [] : ocrPassages(recognized, most)),
        ...segmentations.filter(isOf).slice(0, mostSegmentations).flatMap(segmentationPassages),
      ],
    };
  });
}
