import packageJson from '../../package.json' with { type: 'json' };

/** Version of this program, as told by `/health` and the API description. */
export const version: string = packageJson.version;
