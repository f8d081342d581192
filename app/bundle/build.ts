import { resolve } from 'node:path';
import { argv } from 'node:process';
import { bundleFolder, programs } from './program.ts';
import { writeBundle } from './write-bundle.ts';

/** Builds the bundle of the services into the folder that is named, or where they look for it. */
const [folder = bundleFolder()] = argv.slice(2);
await writeBundle(
  resolve(folder),
  programs.map((program) => `${program}.ts`),
);
