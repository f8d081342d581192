import type { ChannelValues } from '#graphs/define.ts';

/** Hidden channel of dynamic graphs: the targets that the run chose at each node; empty for skipped nodes. */
export const flowChannel = '_flow';

export type FlowState = Readonly<Record<string, readonly string[]>>;

/** True if the run chose `to` when it last left `from`. */
export function takes(state: ChannelValues, from: string, to: string): boolean {
  const flow = state[flowChannel] as FlowState | undefined;
  return flow?.[from]?.includes(to) === true;
}

/** Member of the map target's input that holds the item; channels cannot have this name. */
export const itemMember = '_item';

/** One item of a map. `index` null: the list was empty, or the map was skipped (`dead`). */
export interface MapItem {
  readonly index: number | null;
  readonly dead: boolean;
  readonly as: string;
  readonly value: unknown;
  readonly concurrency: number;
  readonly skipErrors: boolean;
}

export function itemOf(state: ChannelValues): MapItem | undefined {
  return state[itemMember] as MapItem | undefined;
}
