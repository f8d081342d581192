import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, Filter } from 'mongodb';
import type { MemberRow } from '#src/stores/collections.ts';
import type { MemberChange } from '#src/domain/access/member.ts';

/** A mark this old is of a process that died. */
const staleMs = 3_000;
const patienceMs = 5_000;
const pauseMs = 15;

type Who = Pick<MemberRow, '_id' | 'organizationId'>;
type Owner = Pick<MemberRow, '_id' | 'leaving'>;
/** Changes the row that is claimed, and takes its mark away. */
type Act = (claimed: Filter<MemberRow>) => Promise<boolean>;

/**
 * Lets an owner stop being one, unless nobody else is. Asking and then acting would let two owners go at once; so each marks their own
 * row first, and goes only when they then see another owner without a mark. Of those who go, the one who marked last has seen the
 * marks of all others: they cannot all go. Marks are written and taken away by conditional updates of one row, without a transaction.
 */
export async function unlessLastOwner(members: Collection<MemberRow>, who: Who, act: Act): Promise<MemberChange> {
  const token = randomUUID();
  const claimed = { ...who, role: 'owner', 'leaving.token': token } as const;
  const until = Date.now() + patienceMs;
  const release = () => members.updateOne(claimed, { $unset: { leaving: 1 } });
  let marked = false;
  while (Date.now() < until) {
    marked ||= await mark(members, who, token);
    if (marked) {
      const others = await otherOwners(members, who);
      if (others.some(({ leaving }) => leaving === undefined)) return (await act(claimed)) ? 'done' : 'changed';
      // All others are about to go: the first of them waits for the others, who let go.
      if (others.length === 0 || others.some(({ _id }) => _id < who._id)) {
        await release();
        marked = false;
      }
      if (others.length === 0) return 'last_owner';
    } else if ((await members.findOne({ ...who, role: 'owner' }, { projection: { _id: 1 } })) === null)
      return 'changed';
    await delay(pauseMs * (marked ? 1 : 2));
  }
  await release();
  return 'changed';
}

/** False while somebody else holds the row, and when it is no owner's. */
async function mark(members: Collection<MemberRow>, who: Who, token: string): Promise<boolean> {
  const at = new Date();
  const free = { $or: [{ leaving: { $exists: false } }, { 'leaving.at': { $lt: new Date(at.getTime() - staleMs) } }] };
  const done = await members.updateOne({ ...who, role: 'owner', ...free }, { $set: { leaving: { token, at } } });
  return done.matchedCount === 1;
}

/** Stale marks are taken away first: whoever holds one finds it gone when they act, should they still live. */
async function otherOwners(members: Collection<MemberRow>, { _id, organizationId }: Who): Promise<readonly Owner[]> {
  const owners = { organizationId, role: 'owner', _id: { $ne: _id } } as const;
  const stale = { ...owners, 'leaving.at': { $lt: new Date(Date.now() - staleMs) } };
  const read = () => members.find<Owner>(owners, { projection: { leaving: 1 } }).toArray();
  const found = await read();
  if (found.every(({ leaving }) => leaving === undefined || leaving.at.getTime() >= Date.now() - staleMs)) return found;
  await members.updateMany(stale, { $unset: { leaving: 1 } });
  return read();
}
