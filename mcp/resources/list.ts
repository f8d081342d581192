import type { Resource } from '@modelcontextprotocol/server';
import { tools } from '#tools/index.ts';
import type { McpCaller } from '#mcp/caller.ts';
import { plainName } from '#mcp/present/neutralize.ts';
import { addressOf, type ResourceKind } from '#mcp/resources/address.ts';
import type { Ask } from '#mcp/resources/ask.ts';
import { isResourceListed, resourceKinds, shownResources } from '#mcp/resources/shown.ts';
import { allows } from '#mcp/rights.ts';

/** Number of each kind in the list, newest first. Tools list and search all of them. */
const listed = { workflows: 25, runs: 10, documents: 25 };

function about(kind: ResourceKind, lastModified: string): Pick<Resource, 'mimeType' | 'annotations'> {
  const { mimeType } = shownResources[kind];
  return { mimeType, annotations: { audience: ['user', 'assistant'], lastModified } };
}

async function workflows(ask: Ask): Promise<Resource[]> {
  const { workflows: found } = await ask(tools.listWorkflows, { limit: listed.workflows });
  return found.map(({ workflowId, name, publishedVersion, updatedAt }) => ({
    uri: addressOf({ kind: 'workflow', id: workflowId }),
    name: workflowId,
    title: plainName(name),
    description: publishedVersion === null ? 'Not published' : `Published version ${publishedVersion}`,
    ...about('workflow', updatedAt),
  }));
}

async function runs(ask: Ask): Promise<Resource[]> {
  const { runs: found } = await ask(tools.listRuns, { limit: listed.runs });
  return found.map(({ runId, status, documentId, workflowId, createdAt, finishedAt }) => ({
    uri: addressOf({ kind: 'run', id: runId }),
    name: runId,
    title: `Run of ${workflowId}: ${status}`,
    description: `On ${documentId}`,
    ...about('run', finishedAt ?? createdAt),
  }));
}

async function documents(ask: Ask): Promise<Resource[]> {
  const { documents: found } = await ask(tools.listDocuments, { limit: listed.documents });
  return found.flatMap(({ id, title, contentType, pages, createdAt, ocr }) => {
    const named = title === null ? id : plainName(title);
    const description = `${contentType}, ${pages} ${pages === 1 ? 'page' : 'pages'}`;
    const changed = ocr?.ocrCreatedAt ?? createdAt;
    const itself = { name: id, title: named, description, ...about('document', changed) };
    const text = { name: `${id}/text`, title: `Text of ${named}`, description, ...about('text', changed) };
    return [
      { uri: addressOf({ kind: 'document', id }), ...itself },
      ...(ocr === null ? [] : [{ uri: addressOf({ kind: 'text', id }), ...text }]),
    ];
  });
}

const lists: Partial<Record<ResourceKind, (ask: Ask) => Promise<Resource[]>>> = {
  workflow: workflows,
  run: runs,
  document: documents,
};

/** Lists the fixed resources and the newest of the others, as far as the caller may read them. */
export async function listResources(caller: McpCaller, ask: Ask): Promise<Resource[]> {
  const kinds = resourceKinds.filter((kind) => isResourceListed(caller, kind));
  const fixed = kinds.flatMap((kind): Resource[] => {
    const { uri, name, title, description, mimeType } = shownResources[kind];
    return uri.includes('{') ? [] : [{ uri, name, title, description, mimeType }];
  });
  const found = await Promise.all(
    kinds.map(async (kind) => (allows(caller, shownResources[kind].scope) ? lists[kind]?.(ask) : undefined) ?? []),
  );
  return [...fixed, ...found.flat()];
}
