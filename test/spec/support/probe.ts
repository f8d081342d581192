import { z } from 'zod';
import { channel, defineWorkflow, node } from '#graphs/build.ts';
import { catalog, catalogOf, type Catalog } from '#graphs/catalog.ts';
import { defineNode, type NodeDefinition } from '#graphs/define.ts';
import { addCodeWorkflow } from '#app/agents/publish-code-workflows.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { TestApp } from '#test/support/test-app.ts';

/** Holds runs back while it is closed. */
export class Gate {
  #passage = Promise.resolve();
  #release = (): void => undefined;
  #arrival = Promise.withResolvers<void>();

  close(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#passage = promise;
    this.#release = resolve;
    this.#arrival = Promise.withResolvers<void>();
  }

  open(): void {
    this.#release();
  }

  /** Settles when a run stands before the gate that was closed last. */
  get arrived(): Promise<void> {
    return this.#arrival.promise;
  }

  pass(): Promise<void> {
    this.#arrival.resolve();
    return this.#passage;
  }
}

const anything = channel(z.unknown());

/** A workflow that ends at once, showing what it was started with; one that waits at a gate; one that fails; one that never ends. */
export interface Probe {
  readonly catalog: Catalog;
  readonly gate: Gate;
  /** Publishes all in the seeded project; their ids. */
  publish(app: TestApp): Promise<{ echo: string; gated: string; failing: string; slow: string }>;
}

export function createProbe(): Probe {
  const gate = new Gate();
  const echo = defineNode({
    type: 'probe_echo',
    version: 1,
    summary: 'Write what was read',
    params: z.strictObject({}),
    reads: [],
    readsIfPresent: ['note', 'options'],
    writes: ['echoed'],
    pure: false,
    defaultTimeoutMs: 10_000,
    example: {},
    run: async ({ state }) => ({ update: { echoed: state } }),
  });
  const wait = defineNode({
    ...echo,
    type: 'probe_wait',
    summary: 'Wait at the gate',
    async run() {
      await gate.pass();
      return { update: { echoed: 'passed' } };
    },
  });
  const fail = defineNode({
    ...echo,
    type: 'probe_fail',
    summary: 'Fail',
    run: () => Promise.reject(new AppError('model.failed', 'The probe fails on purpose.')),
  });
  const stall = defineNode({
    ...echo,
    type: 'probe_stall',
    summary: 'Never end',
    run: () => new Promise(() => undefined),
  });
  const single = (name: string, only: NodeDefinition<typeof echo.params>) =>
    defineWorkflow({
      id: `wf_${name}`,
      name,
      description: `Probe: ${only.summary}`,
      state: { note: anything, options: anything, echoed: anything },
      nodes: { probe: node(only, {}) },
      edges: [
        ['START', 'probe'],
        ['probe', 'END'],
      ],
      // The least a workflow may be given.
      ...(only === stall ? { limits: { timeoutMs: 1_000 } } : {}),
      outputs: { echoed: 'echoed' },
    });
  const workflows = [single('echo', echo), single('gated', wait), single('failing', fail), single('slow', stall)];
  return {
    catalog: catalogOf([...catalog.definitions, echo, wait, fail, stall]),
    gate,
    async publish({ app, seed: { organizationId, projectId } }) {
      const place = { organizationId, projectId };
      const ids = [];
      for (const workflow of workflows) ids.push((await addCodeWorkflow(app.deps, workflow, place))._id);
      const [first = '', second = '', third = '', fourth = ''] = ids;
      return { echo: first, gated: second, failing: third, slow: fourth };
    },
  };
}
