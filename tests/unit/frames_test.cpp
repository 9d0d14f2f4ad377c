// SPDX-License-Identifier: MIT
#include "worker/frames.h"

#include <gtest/gtest.h>

#include <random>

namespace rocdiag {
namespace {

const std::string kBytes("a\0b\n\xff", 5);

std::vector<FileAnswer> some_answers() {
  return {{0, FileContent{kBytes, false}},
          {1, FileContent{"", false}},
          {2, FileContent{"head", true}},
          {3, system_error(EPERM)},
          {4, Error{Errc::refused, 0, "not a regular file"}}};
}

std::vector<FileAnswer> read_all(FrameReader& reader) {
  std::vector<FileAnswer> answers;
  for (auto payload = reader.next(); payload && *payload; payload = reader.next())
    if (auto answer = parse_answer(**payload)) answers.push_back(*answer);
  return answers;
}

TEST(Frames, BringQuestionsAcross) {
  for (const FileQuestion& question : {FileQuestion{Ask::read, "/sys/a b"}, FileQuestion{Ask::open, "/dev/kfd"}}) {
    FrameReader reader;
    reader.add(to_frame(question));
    const auto payload = reader.next();
    ASSERT_TRUE(payload && *payload);
    EXPECT_EQ(parse_question(**payload), question);
    EXPECT_TRUE(reader.is_at_end());
  }
}

TEST(Frames, BringAnswersAcross) {
  FrameReader reader;
  for (const FileAnswer& answer : some_answers()) reader.add(to_frame(answer));
  EXPECT_EQ(read_all(reader), some_answers());
}

TEST(Frames, ComeWholeHoweverTheStreamIsCut) {
  std::string stream;
  for (const FileAnswer& answer : some_answers()) stream += to_frame(answer);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    FrameReader reader;
    reader.add(stream.substr(0, cut));
    auto answers = read_all(reader);
    reader.add(stream.substr(cut));
    for (const FileAnswer& answer : read_all(reader)) answers.push_back(answer);
    EXPECT_EQ(answers, some_answers()) << "cut at " << cut;
    EXPECT_TRUE(reader.is_at_end());
  }
}

TEST(Frames, ACutFrameIsNeitherReadNorTakenForTheEnd) {
  const std::string frame = to_frame(FileAnswer{7, FileContent{"content", false}});
  for (std::size_t length = 1; length < frame.size(); ++length) {
    FrameReader reader;
    reader.add(frame.substr(0, length));
    const auto payload = reader.next();
    ASSERT_TRUE(payload);
    EXPECT_FALSE(*payload);
    EXPECT_FALSE(reader.is_at_end());
  }
}

TEST(Frames, ImpossibleLengthsAreMalformedAtOnceAndForGood) {
  for (const std::string& garbage : {std::string(8, '\0'), std::string(8, '\xff'), std::string("text, not frames")}) {
    FrameReader reader;
    reader.add(garbage);
    EXPECT_FALSE(reader.next()) << garbage;
    reader.add(to_frame(FileAnswer{0, FileContent{"", false}}));
    EXPECT_FALSE(reader.next()) << garbage;
  }
}

TEST(Frames, PayloadsThatAreNoneAreRefused) {
  for (const std::string& payload :
       {std::string(), std::string("r"), std::string("x/sys"), std::string("r/a\0b", 5), "r" + std::string(5000, '/')})
    EXPECT_FALSE(parse_question(payload));
  const std::string index(4, '\0');
  for (const std::string& payload : {std::string(), std::string("abc"), index, index + "x", index + "e", index + "eabc",
                                     index + std::string("e\1\0\0\0x", 6), index + "e\xff\xff\xff\xff",
                                     index + "v" + std::string(kMostContent + 1, 'x')})
    EXPECT_FALSE(parse_answer(payload));
}

TEST(Frames, RandomBytesDoNoHarm) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    FrameReader reader;
    std::string bytes;
    for (int i = 0; i < 64; ++i) bytes += static_cast<char>(random() & 0xffU);
    bytes[1] = bytes[2] = bytes[3] = '\0';  // a length that can be
    reader.add(bytes);
    for (auto payload = reader.next(); payload && *payload; payload = reader.next()) {
      parse_question(**payload);
      parse_answer(**payload);
    }
  }
}

}  // namespace
}  // namespace rocdiag
