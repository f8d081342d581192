import { createRequire } from 'node:module';
import { heicPackage } from '#src/domain/documents/heif-brand.ts';

/** Module of the optional package whose WebAssembly needs no file beside it. */
export const heicModule = `${heicPackage.name}/wasm-bundle`;

/** True when the optional package that decodes HEIC is installed. Source: docs/decisions/0216. */
export function hasHeicPackage(): boolean {
  try {
    createRequire(import.meta.url).resolve(heicModule);
    return true;
  } catch {
    // Not installed: it is optional.
    return false;
  }
}
