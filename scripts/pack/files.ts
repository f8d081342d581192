import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const manifest = `${root}package.json`;
/** The repository's package.json while the published one stands in its place. */
export const kept = `${root}package.source.json`;
