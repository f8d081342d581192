import { existsSync, renameSync } from 'node:fs';
import { kept, manifest } from './files.ts';

if (existsSync(kept)) renameSync(kept, manifest);
