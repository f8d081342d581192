import { useEffect, useState } from 'react';

/**
 * A part of the page that loads meanwhile: undefined until it is there. React shows a part that came by `lazy` up to 300 ms late, so that its
 * places do not flicker. This is for parts whose place is kept free.
 */
export function useLoaded<Part>(loading: Promise<Part>): Part | undefined {
  const [part, set] = useState<Part>();
  useEffect(() => {
    void loading.then((found) => set(() => found));
  }, [loading]);
  return part;
}
