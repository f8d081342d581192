import type { Db } from 'mongodb';
import { AppError } from '#src/domain/app-error.ts';

/** Sign that `npm run migrate` copies an installation into this database, or has done so. */
export interface CopyMark {
  readonly _id: 'copy';
  /** Id of the installation that is copied, and its place in words. */
  readonly installation: string;
  readonly from: string;
  /** Schema version of the rows. */
  readonly schema: number;
  readonly beganAt: Date;
  readonly finishedAt: Date | null;
}

/** Throws `service.unavailable` for a database that holds a part of an installation: services would work on it as if it were all. */
export async function refuseUnfinishedCopy(db: Db): Promise<void> {
  const mark = await db.collection<CopyMark>('meta').findOne({ _id: 'copy', finishedAt: null });
  if (mark === null) return;
  throw new AppError(
    'service.unavailable',
    `This database holds an unfinished copy of ${mark.from}. Run npm run migrate again, until it says that both sides are equal; or empty the database.`,
  );
}
