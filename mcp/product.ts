import type { ToolDeps } from '#tools/deps.ts';
import type { McpCatalog, McpPart } from '#mcp/catalog.ts';
import { appMetaOf, appsExtension, appsPart } from '#mcp/apps/apps.ts';
import type { McpTool, WatchTools } from '#mcp/tool.ts';
import { instructions } from '#mcp/instructions.ts';
import { shownTools } from '#mcp/surface.ts';
import type { Toolset } from '#mcp/view.ts';
import { Confirmations } from '#mcp/confirm/confirmations.ts';
import { executionTasks } from '#mcp/tasks/execution-tasks.ts';
import { experimentTasks } from '#mcp/tasks/experiment-tasks.ts';
import type { Tasks } from '#mcp/tasks/tasks.ts';
import { useCase } from '#mcp/use-case.ts';
import { fileURLToPath } from 'node:url';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { completionPart } from '#mcp/completion/part.ts';
import { promptsPart, scopesOfPrompt } from '#mcp/prompts/part.ts';
import { resourcesPart, scopesOfResource } from '#mcp/resources/part.ts';
import { resourceReader } from '#mcp/resources/read.ts';
import { Listening } from '#mcp/updates/listening.ts';
import { sessionPart } from '#mcp/updates/session-part.ts';
import type { UpdateOptions } from '#mcp/updates/organization-updates.ts';
import { workflowTools } from '#mcp/workflow-tools/callers-tools.ts';
import { Updates } from '#mcp/updates/updates.ts';

/** Resources, their updates in both generations, prompts and completion. Created once and shared by all servers. */
export function readingParts(
  deps: ToolDeps,
  version: string,
  options: Partial<UpdateOptions> & { readonly watchTools?: WatchTools } = {},
): Pick<McpCatalog, 'parts' | 'scopesOf' | 'bus' | 'listening'> {
  const { watchTools, ...pauses } = options;
  const updates = new Updates(deps, pauses);
  const listening = new Listening(updates, deps.logger, watchTools);
  return {
    parts: [
      resourcesPart(deps, resourceReader(deps, version)),
      sessionPart(deps, updates),
      promptsPart(deps),
      completionPart(deps),
    ],
    scopesOf: (caller, method, params) => {
      if (method === 'resources/read') return scopesOfResource(caller, params['uri']);
      return method === 'prompts/get' ? scopesOfPrompt(caller, params['name']) : [];
    },
    bus: listening.bus,
    listening,
  };
}

const folder = fileURLToPath(new URL('skills', import.meta.url));

/** Serves skills to agents with the Skills extension. They are read once and the same for every caller. Source: SEP-2640. */
export async function skillsPart(): Promise<McpPart> {
  const skills = await loadSkills(folder, {
    prefix: 'inkgraph',
    strict: true,
    cacheHint: { ttlMs: 3_600_000, cacheScope: 'public' },
  });
  return (mcp) => skills.attach(mcp);
}

/** Adds the view of a tool's results to its definition. */
function withView(tool: McpTool): McpTool {
  const meta = appMetaOf(tool.definition.name);
  return meta === undefined ? tool : { ...tool, definition: { ...tool.definition, _meta: meta } };
}

const experimentId = /^xp_/;

/** Tasks of the product, told apart by their ids: experiments, and executions. */
function productTasks(deps: ToolDeps): Tasks {
  const experiments = experimentTasks(deps);
  const executions = executionTasks(deps);
  const of = (taskId: string): Tasks => (experimentId.test(taskId) ? experiments : executions);
  return {
    standsFor: (method, taskId) => of(taskId).standsFor?.(method, taskId) ?? '',
    get: (taskId, requester) => of(taskId).get(taskId, requester),
    update: (taskId, responses, requester) => of(taskId).update(taskId, responses, requester),
    cancel: (taskId, requester) => of(taskId).cancel(taskId, requester),
    watch: (taskId, requester, changed) => of(taskId).watch?.(taskId, requester, changed) ?? (() => undefined),
  };
}

/** The product's tools, resources, prompts and skills over MCP. */
export async function productCatalog(deps: ToolDeps, version: string): Promise<McpCatalog> {
  const confirmations = new Confirmations(deps.cursorSecret);
  const tools = Object.entries(shownTools).flatMap(([toolset, shown]) =>
    shown.map((tool) => useCase(tool, toolset as Toolset, deps, confirmations)),
  );
  const callersTools = workflowTools(deps);
  const { parts, ...reading } = readingParts(deps, version, { watchTools: callersTools.watch });
  return {
    ...reading,
    tools: tools.map(withView),
    callersTools,
    parts: [...parts, await skillsPart(), appsPart()],
    capabilities: { extensions: { [appsExtension]: {} } },
    instructions,
    tasks: productTasks(deps),
  };
}
