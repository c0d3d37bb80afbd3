/** What a message shows to the user, in the field names of the message endpoint. */
export type Content = { messageText?: string; audioURL?: string; imageURL?: string; fileURL?: string };

const VIDEO_OR_GIF = /\.(gif|mp4|m4v|mov|avi|mkv|webm|wmv|flv|mpe?g|3gpp?|ogv)$/i;

/**
 * The first address in `content` that is a video or a GIF, which the service does not support (contract,
 * "Rules of use" 9). It is judged by the ending of the address's path, because the sandbox fetches nothing.
 */
export const unsupportedMedia = (content: Content): string | undefined =>
  [content.audioURL, content.imageURL, content.fileURL].find((url) => url !== undefined && isVideoOrGif(url));

export const isVideoOrGif = (url: string): boolean => VIDEO_OR_GIF.test(URL.parse(url)?.pathname ?? '');

/** Whether there is anything to show at all. */
export const isEmptyContent = (content: Content): boolean =>
  !content.messageText && !content.audioURL && !content.imageURL && !content.fileURL;
