import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { buildPackage } from './build.ts';
import { kept, manifest, root } from './files.ts';
import { ownDependencies, publishedManifest, type Manifest } from './manifest.ts';

/**
 * `npm pack` and `npm publish` run this before, and `postpack.ts` after: package.json is the published one in between. A run that was cut off
 * left the repository's own aside; the next one begins with it.
 */
if (existsSync(kept)) renameSync(kept, manifest);
const source = readFileSync(manifest, 'utf8');
const uses = await buildPackage(root, `${root}dist`);
writeFileSync(kept, source);
const published = publishedManifest(JSON.parse(source) as Manifest, ownDependencies(root), uses);
writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
