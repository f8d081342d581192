import { readFileSync, writeFileSync } from 'node:fs';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { buildPackage } from './build.ts';
import { kept, manifest, root } from './files.ts';
import { ownDependencies, publishedManifest, type Manifest } from './manifest.ts';

const usage = helpText({
  usage: 'npm run prepack',
  does: "Builds the package into dist, and puts the published package.json in place of the repository's. npm pack runs it first, and postpack after.",
  examples: ['npm pack'],
});

/** Source: docs/decisions/0200. */
export const prepack = withHelp(usage, async () => {
  const source = readFileSync(manifest, 'utf8');
  const uses = await buildPackage(root, `${root}dist`);
  const published = publishedManifest(JSON.parse(source) as Manifest, ownDependencies(root), uses);
  writeFileSync(kept, source);
  writeFileSync(manifest, `${JSON.stringify(published, null, 2)}\n`);
});

if (import.meta.main) await orExplain(prepack);
