import type { App } from '#app/compose.ts';
import type { Hosting } from '#app/compose/hosted/hosting.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { catalog } from '#graphs/catalog.ts';
import { compileHosted } from '#graphs/run/hosted/compile-hosted.ts';
import type { HostedRun, HostedParts } from '#graphs/run/hosted/host.ts';
import { codeWorkflows } from '#graphs/workflows.ts';

const neededNode = 24;
const oldNode = `Inkgraph runs on Node ${neededNode} or newer, and this is ${process.version}. Run npx langgraphjs dev in its folder: npm install brings one.`;

interface Opened {
  readonly app: App;
  readonly hosting: Hosting;
  /** Service key of the runs. */
  readonly key: string;
}

interface HostedGraphsParts {
  config(): Config;
  /** Called once, when there is something to dispose of. */
  opened(): void;
}

/**
 * Workflows in code for LangGraph's tools. The first run composes the product, which then serves nothing and takes no runs of the queue.
 * Drawing and schemas do without it. Source: docs/decisions/0197.
 */
export class HostedGraphs implements AsyncDisposable {
  readonly #parts: HostedGraphsParts;
  #opening: Promise<Opened> | null = null;
  #wasOpened = false;

  constructor(parts: HostedGraphsParts) {
    this.#parts = parts;
  }

  /** LangGraph's graph, compiled anew at each call: its server sets the checkpointer of one run on it. */
  async compiled(workflowId: string): Promise<object> {
    if (Number.parseInt(process.versions.node, 10) < neededNode) throw new ConfigError(oldNode);
    const workflow = codeWorkflows.find(({ id }) => id === workflowId);
    if (workflow === undefined) throw new Error(`there is no workflow ${workflowId} in graphs/workflows.ts`);
    return compileHosted(workflow.graph, { catalog, begin: (run) => this.#begin(workflowId, run) });
  }

  async #begin(workflowId: string, run: HostedRun): Promise<HostedParts> {
    this.#opening ??= this.#open();
    const { hosting, key } = await this.#opening;
    return hosting.begin(key, workflowId, run);
  }

  /** A failed attempt is repeated by the next run: another process may have ended, or the settings are mended. */
  #open(): Promise<Opened> {
    if (!this.#wasOpened) this.#parts.opened();
    this.#wasOpened = true;
    const opening = this.#compose();
    const forget = (): void => {
      if (this.#opening === opening) this.#opening = null;
    };
    opening.then(
      ({ app }) =>
        // The engine of another process ends with that process. The next run starts one here.
        void app.failed.then(async (error) => {
          app.logger.warn({ err: error }, 'the database ended: the next run opens it again');
          forget();
          try {
            await app[Symbol.asyncDispose]();
          } catch (failure) {
            app.logger.warn({ err: failure }, 'the parts that used the database did not end cleanly');
          }
        }),
      forget,
    );
    return opening;
  }

  async #compose(): Promise<Opened> {
    // The server starts and draws without most of the product.
    const [{ compose }, { requireKey }, { seed }] = await Promise.all([
      import('#app/compose.ts'),
      import('#app/compose/stdio.ts'),
      import('#app/compose/seed.ts'),
    ]);
    const config = { ...this.#parts.config(), services: new Set<never>() };
    await using opening = new AsyncDisposableStack();
    const app = opening.use(await compose(config));
    await requireKey(app, config);
    const key = config.mcpKey ?? (await seed(app, config)).agentKey;
    const hosting = await app.hosting();
    opening.move();
    return { app, hosting, key };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const [outcome] = await Promise.allSettled([this.#opening]);
    if (outcome.status === 'fulfilled') await outcome.value?.app[Symbol.asyncDispose]();
  }
}
