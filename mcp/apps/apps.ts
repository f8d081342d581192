import { readFileSync } from 'node:fs';
import type { McpPart } from '#mcp/catalog.ts';

/** The identifier of MCP Apps among the extensions, and the type of its pages. Source: SEP-1865. */
export const appsExtension = 'io.modelcontextprotocol/ui';
const mimeType = 'text/html;profile=mcp-app';

interface App {
  readonly uri: string;
  readonly title: string;
  readonly description: string;
  /** Scripts of its page, in order. */
  readonly scripts: readonly string[];
}

const apps = {
  graph: {
    uri: 'ui://inkgraph/graph',
    title: 'Workflow graph',
    description: 'A workflow as a picture: nodes, edges and issues.',
    scripts: ['bridge', 'layers', 'graph'],
  },
  run: {
    uri: 'ui://inkgraph/run',
    title: 'Run',
    description: 'A run in progress: steps, durations and errors.',
    scripts: ['bridge', 'run'],
  },
  experiment: {
    uri: 'ui://inkgraph/experiment',
    title: 'Experiment',
    description: 'An experiment: its verdict, differences with intervals, and the documents that lost most.',
    scripts: ['bridge', 'forest', 'experiment'],
  },
} as const satisfies Record<string, App>;

/** Views by the tools whose results they show. */
const shownBy: Readonly<Record<string, App>> = {
  get_workflow: apps.graph,
  run_workflow: apps.run,
  get_run: apps.run,
  run_experiment: apps.experiment,
  get_experiment: apps.experiment,
  improve_workflow: apps.experiment,
};

/** `_meta` of a tool's definition; undefined for tools without a view. */
export function appMetaOf(toolName: string): { ui: { resourceUri: string } } | undefined {
  const app = shownBy[toolName];
  return app === undefined ? undefined : { ui: { resourceUri: app.uri } };
}

/** Joins modules into one script, since a page cannot import. */
const joined = (text: string): string => text.replaceAll(/^import .*\n/gm, '').replaceAll(/^export /gm, '');

const read = (file: string): string => readFileSync(new URL(`page/${file}`, import.meta.url), 'utf8');

/** Builds a page in one file: hosts give it no network. */
function pageOf({ title, scripts }: App): string {
  const script = scripts.map((name) => joined(read(`${name}.js`))).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>${read('view.css')}</style></head>
<body><p class="soft">Waiting for the result…</p><script>${script}</script></body>
</html>
`;
}

/** Views of results, for hosts that support MCP Apps. The pages are built once. */
export function appsPart(): McpPart {
  const pages = Object.values<App>(apps).map((app) => ({ ...app, text: pageOf(app) }));
  return (mcp) => {
    for (const { uri, title, description, text } of pages)
      mcp.registerResource(title, uri, { title, description, mimeType, cacheHint: { ttlMs: 3_600_000 } }, () => ({
        contents: [{ uri, mimeType, text, _meta: { ui: { csp: {}, prefersBorder: true } } }],
      }));
  };
}
