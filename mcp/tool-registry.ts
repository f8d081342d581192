import type { Scope } from '#src/contracts/scopes.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import type { ToolDefinition } from '#mcp/present/definition.ts';
import { allows, helpsToAsk, isInView, isListed } from '#mcp/rights.ts';
import { taskMethods, type TaskMethod } from '#mcp/tasks/tasks.ts';
import type { McpTool } from '#mcp/tool.ts';

/** Finds the tool of a message, and the tools that a caller sees. */
export class ToolRegistry {
  readonly #catalog: McpCatalog;
  readonly #tools: ReadonlyMap<string, McpTool>;

  constructor(catalog: McpCatalog) {
    this.#catalog = catalog;
    this.#tools = new Map(catalog.tools.map((tool) => [tool.definition.name, tool]));
  }

  tool(name: string): McpTool | undefined {
    return this.#tools.get(name);
  }

  listedFor(caller: McpCaller): ToolDefinition[] {
    const listed = [...this.#tools.values()].filter((tool) => isListed(caller, tool));
    return listed.map(({ definition }) => definition);
  }

  /** Returns the tool that a `tools/call` names or a task method works for; null for other messages and unknown names. */
  calledBy(message: unknown): McpTool | null {
    const { method, params } = (message ?? {}) as {
      method?: unknown;
      params?: { name?: unknown; taskId?: unknown } | null;
    };
    const taskMethod = taskMethods.find((name) => name === method);
    if (taskMethod !== undefined)
      return this.#standsFor(taskMethod, typeof params?.taskId === 'string' ? params.taskId : '');
    if (method !== 'tools/call' || typeof params?.name !== 'string') return null;
    return this.#tools.get(params.name) ?? null;
  }

  /** True when the caller's connection offers this task method. */
  admitsTask(caller: McpCaller, method: TaskMethod, taskId: string): boolean {
    const tool = this.#standsFor(method, taskId);
    return tool === null || isInView(caller, tool);
  }

  /** Returns the scopes that a request lacks and that a step-up could grant. */
  missingScopes(caller: McpCaller, message: unknown): readonly Scope[] {
    return this.#scopesOf(caller, message).filter((scope) => !allows(caller, scope) && helpsToAsk(caller, scope));
  }

  /** Returns no scopes for what the connection does not offer: a step-up would not help. */
  #scopesOf(caller: McpCaller, message: unknown): readonly Scope[] {
    const tool = this.calledBy(message);
    if (tool !== null) return isInView(caller, tool) && tool.scope !== null ? [tool.scope] : [];
    const { method, params } = (message ?? {}) as { method?: unknown; params?: Record<string, unknown> | null };
    return this.#catalog.scopesOf?.(caller, method, params ?? {}) ?? [];
  }

  /** Returns null when the method is unrestricted, or the catalog does not have the tool. */
  #standsFor(method: TaskMethod, taskId: string): McpTool | null {
    const name = this.#catalog.tasks?.standsFor?.(method, taskId);
    return name === undefined ? null : (this.#tools.get(name) ?? null);
  }
}
