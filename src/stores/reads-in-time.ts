/** Part of a time whose rows are read page by page. `after` is the id of the last row that was read at `from`; empty at first. */
export interface TimeWindow {
  readonly from: Date;
  readonly after: string;
  readonly until: Date;
}

/** Rows whose `field`, a time, is in the window, and the order in which they are read. */
export const within = <Field extends string>(field: Field, { from, after, until }: TimeWindow) => ({
  filter: {
    [field]: { $gte: from, $lt: until },
    $or: [{ [field]: { $gt: from } }, { _id: { $gt: after } }],
  },
  order: { [field]: 1, _id: 1 } as const,
});
