import { createStore } from './store.ts';

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly file: File;
  readonly projectId: string;
  readonly workflowId: string | undefined;
  /** `cut`: the connection was lost; it goes on when the connection is back. */
  readonly state: 'waiting' | 'sending' | 'cut' | 'done' | 'failed';
  /** Share of bytes that are sent, 0..1. */
  readonly progress: number;
  /** Place of the bytes, once all of them are stored. */
  readonly objectKey?: string;
  readonly documentId?: string;
  readonly duplicateOf?: string;
  readonly error?: string;
}

/** Uploads of this tab. They go on while pages change. */
export const uploads = createStore<readonly Upload[]>([]);
