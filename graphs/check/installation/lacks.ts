import { fixedBy, pointer, setField, type GraphIssue, type IssueCode } from '#graphs/check/issue.ts';
import { anyLanguage } from '#src/domain/documents/languages/choose.ts';
import { serverUrlsOf } from '#graphs/models/server-tools.ts';
import type { GraphOutline, OutlineNode } from '#graphs/check/outline.ts';
import type { InstallationFacts } from '#graphs/check/installation/facts.ts';

type Lack = (node: OutlineNode, facts: InstallationFacts) => GraphIssue[];

/** Node types that always ask the chat model. */
const withModel: ReadonlySet<unknown> = new Set(['llm', 'agent']);
/** Node types that ask it with the engine `model`, and work without one with `auto`. */
const withEngine: ReadonlySet<unknown> = new Set(['classify', 'extract']);

/** `at`: a config field of the node, or its path; null: the node itself. */
function lack(
  { id }: OutlineNode,
  at: string | readonly PropertyKey[] | null,
  said: { readonly code: IssueCode; readonly message: string; readonly hint: string },
): GraphIssue {
  const path = at === null ? pointer('nodes', id) : pointer('nodes', id, 'config', ...[at].flat());
  return { severity: 'warning', path, nodeId: id, ...said };
}

const missingModel: Lack = (node, { chatModel, segmenter }) => {
  const { engine } = node.config;
  const remote = node.type === 'segment' && engine === 'remote' && segmenter === null;
  const chosen = withEngine.has(node.type) && engine === 'model' && chatModel === null;
  if (remote || chosen) {
    const [what, setting] = remote ? ['remote segmentation engine', 'SEGMENTATION_URL'] : ['chat model', 'CHAT_MODEL'];
    const message = `Node "${node.id}" needs a ${what}, and this installation has none.`;
    const hint = `Use the engine "auto", which works without one, or ask the operator to set ${setting}.`;
    const issue = lack(node, 'engine', { code: 'MODEL_UNAVAILABLE', message, hint });
    return [fixedBy(issue, setField(issue.path, 'auto'))];
  }
  if (!withModel.has(node.type) || chatModel !== null) return [];
  const message = `Node "${node.id}" needs a chat model, and this installation has none.`;
  const hint = 'Ask the operator to set CHAT_MODEL, or use extract and classify, which also work without one.';
  return [lack(node, null, { code: 'MODEL_UNAVAILABLE', message, hint })];
};

const unlistedHost: Lack = (node, { refused, hosts }) => {
  const places: readonly (readonly [unknown, readonly PropertyKey[]])[] =
    node.type === 'http'
      ? [[node.config['url'], ['url']]]
      : node.type === 'agent'
        ? serverUrlsOf(node.config).map((url, at) => [url, ['mcp', at, 'url']] as const)
        : [];
  return places.flatMap(([url, at]) => {
    const reason = typeof url === 'string' ? refused.get(url) : undefined;
    return reason === undefined ? [] : [unlisted(node, at, { reason, hosts })];
  });
};

function unlisted(
  node: OutlineNode,
  at: readonly PropertyKey[],
  { reason, hosts }: { readonly reason: string; readonly hosts: readonly string[] },
): GraphIssue {
  const listed = hosts.length === 0 ? 'none yet' : hosts.slice(0, 20).join(', ');
  const message = `This address cannot be called: ${reason}.`;
  const hint = `Ask the operator to add the host to OUTBOUND_ALLOW, or call one that is listed: ${listed}.`;
  return lack(node, at, { code: 'HOST_NOT_LISTED', message, hint });
}

const missingLanguage: Lack = (node, { languages }) => {
  const { language } = node.config;
  if (node.type !== 'ocr' || typeof language !== 'string' || language === anyLanguage) return [];
  const missing = language.split('+').filter((code) => !languages.includes(code));
  if (missing.length === 0) return [];
  const message = `OCR has no data for the language "${missing.join('", "').slice(0, 80)}" here.`;
  const hint = `Ask the operator to run npm run languages -- add ${missing.join(' ').slice(0, 80)}, or use: ${languages.join(', ')}.`;
  return [lack(node, 'language', { code: 'LANGUAGE_MISSING', message, hint })];
};

/**
 * MODEL_UNAVAILABLE, HOST_NOT_LISTED, LANGUAGE_MISSING: the graph is right, and this installation cannot run a node of it as it is configured.
 * Warnings, since the operator can change that after the workflow is published. Source: docs/decisions/0167.
 */
export function checkInstallation({ nodes, context: { installation } }: GraphOutline): GraphIssue[] {
  if (installation === undefined) return [];
  return [...nodes.values()].flatMap((node) =>
    [missingModel, unlistedHost, missingLanguage].flatMap((rule) => rule(node, installation)),
  );
}
