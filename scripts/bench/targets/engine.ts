/** The embedded engine alone in a process: what it uses is the engine's, and the driver's work is the caller's. */
import { openEmbeddedDatabase, type EmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { serve } from '#scripts/bench/processes/serve.ts';

export interface Opened {
  readonly uri: string;
  readonly openMs: number;
}

let database: EmbeddedDatabase | undefined;

serve({
  open: async (dataDir: string): Promise<Opened> => {
    const started = performance.now();
    database = await openEmbeddedDatabase({ dataDir });
    return { uri: database.uri, openMs: performance.now() - started };
  },
  close: async (): Promise<void> => database?.close(),
});
process.channel?.ref();
