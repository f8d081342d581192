import { requireKey } from '#app/compose/stdio.ts';
import { seed } from '#app/compose/seed.ts';
import { compose, type App } from '#app/compose.ts';
import type { Hosting } from '#app/compose/hosted/hosting.ts';
import type { Config } from '#src/config/config.ts';
import { catalog } from '#graphs/catalog.ts';
import type { CodeWorkflow } from '#graphs/build.ts';
import { compileHosted } from '#graphs/run/hosted/compile-hosted.ts';

interface Opened {
  readonly app: App;
  readonly hosting: Hosting;
  /** Service key of the runs. */
  readonly key: string;
}

/**
 * Graphs for LangGraph's tools. The first run composes the product, which serves nothing and takes no runs of the queue; drawing and
 * schemas do without.
 */
export class HostedGraphs implements AsyncDisposable {
  readonly #configOf: () => Config;
  #opening: Promise<Opened> | null = null;

  constructor(configOf: () => Config) {
    this.#configOf = configOf;
  }

  /** Compiles the workflow anew at each call: LangGraph's server sets the checkpointer of a run on it. */
  compiled({ id, graph }: CodeWorkflow): Promise<object> {
    const begin: Parameters<typeof compileHosted>[1]['begin'] = async (run) => {
      const { hosting, key } = await this.#open();
      return hosting.begin(key, id, run);
    };
    return compileHosted(graph, { catalog, begin });
  }

  #open(): Promise<Opened> {
    if (this.#opening !== null) return this.#opening;
    const opening = this.#compose();
    this.#opening = opening;
    opening.catch(() => this.#forget(opening));
    return opening;
  }

  async #compose(): Promise<Opened> {
    const config = { ...this.#configOf(), services: new Set<never>() };
    const app = await compose(config);
    try {
      await requireKey(app, config);
      const key = config.mcpKey ?? (await seed(app, config)).agentKey;
      return { app, hosting: await app.hosting(), key };
    } catch (error) {
      await app[Symbol.asyncDispose]();
      throw error;
    }
  }

  #forget(opening: Promise<Opened>): void {
    if (this.#opening === opening) this.#opening = null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opening = this.#opening;
    this.#opening = null;
    if (opening === null) return;
    const [outcome] = await Promise.allSettled([opening]);
    if (outcome.status === 'fulfilled') await outcome.value.app[Symbol.asyncDispose]();
  }
}
