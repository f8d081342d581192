/** Part of a time whose rows are read page by page. `after` is the id of the last row that was read at `from`; empty at first. */
export interface TimeWindow {
  readonly from: Date;
  readonly after: string;
  readonly until: Date;
}

/** Rows whose `field`, a time, is in the window, if they are read in the order of this field and of their ids. */
export const within = (field: string, { from, after, until }: TimeWindow) => ({
  [field]: { $gte: from, $lt: until },
  $or: [{ [field]: { $gt: from } }, { _id: { $gt: after } }],
});
