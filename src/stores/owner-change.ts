import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Collection, Filter } from 'mongodb';
import type { MemberRow } from '#src/stores/collections.ts';
import type { MemberChange } from '#src/domain/access/member.ts';

/** A mark of this age belongs to a dead process. */
const staleMs = 3_000;
const patienceMs = 5_000;
const pauseMs = 15;

type Who = Pick<MemberRow, '_id' | 'organizationId'>;
type Owner = Pick<MemberRow, '_id' | 'leaving'>;
/** Changes the claimed row and removes its mark. */
type Act = (claimed: Filter<MemberRow>) => Promise<boolean>;

/**
 * Removes or demotes an owner unless it is the last one. Two concurrent checks could let two owners leave, so each change first marks its
 * own row, and proceeds only when another owner has no mark. The last change to mark its row sees the marks of all others, so they cannot
 * all proceed. Conditional updates of one row set and remove marks, without a transaction.
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
      // All other owners are about to leave: the change with the smallest id waits, the others release their mark.
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

/** False while another change holds the row, and when its member is no owner. */
async function mark(members: Collection<MemberRow>, who: Who, token: string): Promise<boolean> {
  const at = new Date();
  const free = { $or: [{ leaving: { $exists: false } }, { 'leaving.at': { $lt: new Date(at.getTime() - staleMs) } }] };
  const done = await members.updateOne({ ...who, role: 'owner', ...free }, { $set: { leaving: { token, at } } });
  return done.matchedCount === 1;
}

/** Removes stale marks first. A slow process that still holds one fails when it acts. */
async function otherOwners(members: Collection<MemberRow>, { _id, organizationId }: Who): Promise<readonly Owner[]> {
  const owners = { organizationId, role: 'owner', _id: { $ne: _id } } as const;
  const stale = { ...owners, 'leaving.at': { $lt: new Date(Date.now() - staleMs) } };
  const read = () => members.find<Owner>(owners, { projection: { leaving: 1 } }).toArray();
  const found = await read();
  if (found.every(({ leaving }) => leaving === undefined || leaving.at.getTime() >= Date.now() - staleMs)) return found;
  await members.updateMany(stale, { $unset: { leaving: 1 } });
  return read();
}
