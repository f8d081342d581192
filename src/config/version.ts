import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Version of this program, shown by `/health` and in the OpenAPI documents. */
export const version: string = manifest.version;

/** True in the published package, which holds JavaScript and no scripts of npm. */
export const isPackage: boolean = import.meta.filename.endsWith('.js');
