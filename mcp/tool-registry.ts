import type { Scope } from '#src/contracts/scopes.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import type { ToolDefinition } from '#mcp/present/definition.ts';
import { allows, helpsToAsk, isInView, isListed } from '#mcp/rights.ts';
import { taskMethods, type TaskMethod } from '#mcp/tasks/tasks.ts';
import type { McpTool } from '#mcp/tool.ts';

interface Asked {
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly taskId?: unknown } | null;
}

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

  /** Finds a tool by its name, also among those of the caller. */
  async find(caller: McpCaller, name: string): Promise<McpTool | undefined> {
    const known = this.#tools.get(name);
    if (known !== undefined || this.#catalog.callersTools === undefined) return known;
    const theirs = await this.#catalog.callersTools.list(caller);
    return theirs.find(({ definition }) => definition.name === name);
  }

  async listedFor(caller: McpCaller): Promise<ToolDefinition[]> {
    const listed = [...this.#tools.values()].filter((tool) => isListed(caller, tool));
    const theirs = (await this.#catalog.callersTools?.list(caller)) ?? [];
    return [...listed, ...theirs].map(({ definition }) => definition);
  }

  /** True for a call that counts against the smaller rate limit. A name that only a caller's tool can have counts before it is looked up. */
  isExpensive(message: unknown): boolean {
    const tool = this.#calledBy(message);
    if (tool !== null) return tool.expensive;
    return this.#catalog.callersTools !== undefined && ((message ?? {}) as Asked).method === 'tools/call';
  }

  /** Returns the tool that a `tools/call` names or a task method works for; null for other messages and unknown names. */
  #calledBy(message: unknown): McpTool | null {
    const { method, params } = (message ?? {}) as Asked;
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
  async missingScopes(caller: McpCaller, message: unknown): Promise<readonly Scope[]> {
    const scopes = await this.#scopesOf(caller, message);
    return scopes.filter((scope) => !allows(caller, scope) && helpsToAsk(caller, scope));
  }

  /** Returns no scopes for what the connection does not offer: a step-up would not help. */
  async #scopesOf(caller: McpCaller, message: unknown): Promise<readonly Scope[]> {
    const tool = this.#calledBy(message);
    if (tool !== null) return isInView(caller, tool) && tool.scope !== null ? [tool.scope] : [];
    const { method, params } = (message ?? {}) as { method?: unknown; params?: Record<string, unknown> | null };
    if (method === 'tools/call') return this.#scopesOfTheirs(caller, params?.['name']);
    return this.#catalog.scopesOf?.(caller, method, params ?? {}) ?? [];
  }

  /** Looks the name up only where a step-up could help. */
  async #scopesOfTheirs(caller: McpCaller, name: unknown): Promise<readonly Scope[]> {
    const scope = this.#catalog.callersTools?.scope;
    if (scope === undefined || typeof name !== 'string' || allows(caller, scope)) return [];
    return (await this.find(caller, name)) === undefined ? [] : [scope];
  }

  /** Returns null when the method is unrestricted, or the catalog does not have the tool. */
  #standsFor(method: TaskMethod, taskId: string): McpTool | null {
    const name = this.#catalog.tasks?.standsFor?.(method, taskId);
    return name === undefined ? null : (this.#tools.get(name) ?? null);
  }
}
