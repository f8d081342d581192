import { type Db, MongoServerError } from 'mongodb';

const absent = new Set<unknown>(['IndexNotFound', 'NamespaceNotFound']);

/** Removes an index by which the database deletes records. The sweep of uploads must delete their bytes too. */
export async function dropUploadExpiry(db: Db): Promise<void> {
  await dropIndex(db, 'uploads', 'forgetAt_1');
}

/** Removes the indexes with fixed ages of events and deliveries, whose ages are settings now. */
export async function dropRecordExpiry(db: Db): Promise<void> {
  await dropIndex(db, 'events', 'at_1');
  await dropIndex(db, 'deliveries', 'createdAt_1');
}

/** Removes an index, if it is there. */
export async function dropIndex(db: Db, collection: string, name: string): Promise<void> {
  try {
    await db.collection(collection).dropIndex(name);
  } catch (error) {
    if (!(error instanceof MongoServerError && absent.has(error.codeName))) throw error;
  }
}
