import type { Review } from './tree';

/** The argument of `ahp.file.setReviewed`. */
export interface ReviewRequest {
  readonly channel: string;
  readonly files: readonly string[];
  readonly reviewed: boolean;
}

/** One request for all files of a changeset that get the same flag. */
export function reviewRequests(flags: readonly Review[]): ReviewRequest[] {
  const requests = new Map<string, ReviewRequest & { files: string[] }>();
  for (const { channel, id, reviewed } of flags) {
    const key = `${reviewed} ${channel}`, request = requests.get(key) ?? { channel, files: [], reviewed };
    request.files.push(id);
    requests.set(key, request);
  }
  return [...requests.values()];
}
