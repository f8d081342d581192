import type { FlowPlan } from '#graphs/engine/flow-plan.ts';
import { flowChannel, type FlowState } from '#graphs/engine/flow-state.ts';
import { emptyValues, folds, type FoldingReducer } from '#graphs/engine/reducers.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type * as LangGraphModule from '@langchain/langgraph';

type Channel = StoredGraph['state'][string];
type Values = Readonly<Record<string, unknown>>;

/** Channel of the input that names the document of a thread. */
export const documentChannel = 'documentId';

const documentSchema = { type: 'string', description: 'Id of an uploaded document of the project: doc_...' };

/** A Standard Schema that takes every value. LangGraph reads the default by validating nothing, and shows the JSON Schema. */
function schemaOf(shown: Values | undefined, initial?: unknown) {
  const jsonSchema = () => shown ?? {};
  return {
    '~standard': {
      version: 1,
      vendor: 'inkgraph',
      validate: (value: unknown) => {
        if (value !== undefined) return { value };
        return initial === undefined ? { issues: [{ message: 'no default' }] } : { value: structuredClone(initial) };
      },
      ...(shown !== undefined && { jsonSchema: { input: jsonSchema, output: jsonSchema } }),
    },
  };
}

const folding = (reducer: Channel['reducer']): reducer is FoldingReducer => reducer !== 'replace';

const initialOf = ({ reducer, default: first }: Channel): unknown =>
  first ?? (folding(reducer) ? emptyValues[reducer] : first);

/** Threads are of one document: the channels hold ids of its results. */
function sameDocument(known: unknown, given: unknown): unknown {
  if (known === undefined || known === given) return given;
  const detail = 'This thread is of another document, whose results its channels name. Make a new thread.';
  throw new AppError('request.invalid', detail);
}

/** LangGraph would leave them out. */
function refuseUnknown(names: readonly string[], channels: object): void {
  const unknown = names.filter((name) => !Object.hasOwn(channels, name));
  if (unknown.length === 0) return;
  const known = Object.keys(channels).filter((name) => name !== flowChannel);
  const errors = unknown.map((name) => ({ pointer: `/${name}`, code: 'channel_unknown', message: 'no such channel' }));
  throw new AppError('request.invalid', `The input sets unknown channels. This workflow has ${known.join(', ')}.`, {
    errors,
  });
}

/**
 * State of a graph that LangGraph's tools run: its channels with their JSON Schemas, and `documentId`. An input with `documentId` begins a
 * run, whose channels with a default begin with it, as those of a run of the service do.
 */
export function hostedState(
  { state }: StoredGraph,
  { dynamic }: FlowPlan,
  { StateSchema, ReducedValue, Overwrite }: typeof LangGraphModule,
): object {
  const fields: [string, unknown][] = Object.entries(state).map(([name, channel]) => {
    const schema = schemaOf(channel.schema, initialOf(channel));
    if (!folding(channel.reducer)) return [name, schema];
    const written = { reducer: folds[channel.reducer], inputSchema: schemaOf({}) };
    return [name, new ReducedValue(schema as never, written as never)];
  });
  if (!Object.hasOwn(state, documentChannel))
    fields.unshift([
      documentChannel,
      new ReducedValue(schemaOf(documentSchema) as never, { reducer: sameDocument } as never),
    ]);
  if (dynamic) {
    const reducer = (left: FlowState, right: FlowState): FlowState => ({ ...left, ...right });
    fields.push([flowChannel, new ReducedValue(schemaOf(undefined, {}) as never, { reducer } as never)]);
  }
  // Values of an earlier run of the thread would be folded in, and its routes taken.
  const begun = (): Record<string, unknown> => {
    const initial = Object.entries(state).map(([name, channel]) => {
      const value = structuredClone(initialOf(channel));
      return [name, folding(channel.reducer) && value !== undefined ? new Overwrite(value) : value] as const;
    });
    const known = Object.fromEntries(initial.filter(([, value]) => value !== undefined));
    return dynamic ? { ...known, [flowChannel]: new Overwrite({}) } : known;
  };
  const channels = Object.fromEntries(fields);
  return Object.assign(new StateSchema(channels as never), {
    // LangGraph validates inputs, and updates of commands, here.
    validateInput: async (input: unknown): Promise<unknown> => {
      if (typeof input !== 'object' || input === null) return input;
      refuseUnknown(Object.keys(input), channels);
      return documentChannel in input ? { ...begun(), ...input } : input;
    },
  });
}
