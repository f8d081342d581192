import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Version of an installed package of ours. */
const installed = (name: string): string =>
  (JSON.parse(readFileSync(require.resolve(`${name}/package.json`), 'utf8')) as { version: string }).version;

/** Versions for a new project: those that this one runs with, so that npm installs each once. TypeScript is not part of the package. */
export const versionsOf = () =>
  ({
    langgraph: installed('@langchain/langgraph'),
    zod: installed('zod'),
    typescript: '^7.0.2',
    nodeTypes: '^24.10.1',
  }) as const;
