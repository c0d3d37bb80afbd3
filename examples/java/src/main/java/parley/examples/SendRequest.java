package parley.examples;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * A message to one user, as Parley's send queue expects it. {@code docs/send-request.schema.json} describes every field.
 *
 * @param requestId idempotency key: Parley sends a request once, however often it is queued
 * @param ruleNameOrId the template that is sent if the user has not written for 24 hours, or null
 * @param params the values of the template's variables, or null
 * @param reason why the business writes first, or null; required when a template opens the conversation
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record SendRequest(
    String requestId,
    String platformContactId,
    String messageText,
    String ruleNameOrId,
    Map<String, String> params,
    String reason) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern MESSAGE_GROUP_ID = Pattern.compile("[\\x21-\\x7e]{1,128}");

  SendRequest {
    Objects.requireNonNull(requestId, "requestId");
    Objects.requireNonNull(platformContactId, "platformContactId");
  }

  /**
   * Returns the contact, so that SQS keeps the order of a contact's requests.
   *
   * <p>SQS accepts 1 to 128 letters, digits, and punctuation characters. For any other contact, the group is the hash of
   * its ID, as in the management API.
   */
  String messageGroupId() {
    return MESSAGE_GROUP_ID.matcher(platformContactId).matches() ? platformContactId : sha256(platformContactId);
  }

  String toJson() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String sha256(String text) {
    try {
      var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("Every Java platform has SHA-256.", e);
    }
  }
}
