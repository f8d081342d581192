import type { ChannelValues } from '#graphs/define.ts';

/** Hidden channel of graphs in which something is chosen: by node, where the run went on from it; nowhere when it was passed through. */
export const flowChannel = '_flow';

export type FlowState = Readonly<Record<string, readonly string[]>>;

/** Whether the run took the way from one node to another when it last left `from`. */
export function takes(state: ChannelValues, from: string, to: string): boolean {
  const flow = state[flowChannel] as FlowState | undefined;
  return flow?.[from]?.includes(to) === true;
}

/** Reserved member of what a map hands to its target; the name cannot be one of a channel. */
export const itemMember = '_item';

/** One of the runs of a map's target. `index` null: there was nothing to map, or the map was passed through (`dead`). */
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
