import { toastError } from '../parts/toast.tsx';
import { bytes } from '../text/format.ts';
import { shell } from '../text/shell.ts';
import { useSession } from './session.ts';
import { addUploads } from './uploads.ts';

/** Types by the end of the name, for browsers that do not know them. */
const unknownToBrowsers = /\.(hei[cf])$/i;

/** The file with its media type: most browsers have none for HEIC. */
function withType(file: File): File {
  const [, extension] = unknownToBrowsers.exec(file.name) ?? [];
  if (file.type !== '' || extension === undefined) return file;
  return new File([file], file.name, { type: `image/${extension.toLowerCase()}`, lastModified: file.lastModified });
}

/** Returns the function that uploads files into a project. It refuses at once what the server would refuse. */
export function useAddFiles() {
  const { limits } = useSession();
  return (
    files: readonly File[],
    to: { readonly projectId: string; readonly workflowId?: string | undefined },
  ): void => {
    const fits = files.map(withType).filter((file) => {
      const isKnown = limits.contentTypes.some((type) => type === file.type);
      if (!isKnown) toastError(shell.uploadWrongType(file.name));
      else if (file.size > limits.uploadMaxBytes)
        toastError(shell.uploadTooLarge(file.name, bytes(limits.uploadMaxBytes)));
      return isKnown && file.size <= limits.uploadMaxBytes;
    });
    addUploads(fits, to);
  };
}
